/** Checks whether a Prometheus has what an analysis needs. */
import { textOf } from '../../base/json.ts';
import { readLabelSets } from '../../evidence/formats/range-query/label-sets.ts';
import type { PrometheusCheck } from './doctor.ts';
import { namesFor } from '../../evidence/metric-names.ts';
import type { RequestLimits, TargetConnection } from '../target-connection.ts';
import { explain } from '../replies/explain.ts';

export const NEEDED_SERIES: readonly string[] = namesFor('doctor');

/** `node` is the name of the target, if it is a node. */
export async function checkPrometheus(
  connection: TargetConnection,
  node: string | undefined,
  limits: RequestLimits,
): Promise<PrometheusCheck> {
  const query = `count by (__name__, job) ({__name__=~"${NEEDED_SERIES.join('|')}"})`;
  const path = `/api/v1/query?query=${encodeURIComponent(query)}`;
  const reply = await connection.get(path, limits);
  const problem = explain(reply, { ...connection, path: '/api/v1/query' });
  const found = reply.kind === 'answer' && problem === undefined ? readLabelSets(reply.body) : [];
  const names = new Set(found.map(labels => textOf(labels['__name__'])));
  const jobs = [...new Set(found.map(labels => textOf(labels['job'])))].filter(job => job !== '').sort();
  const series = NEEDED_SERIES.map(name => ({ name, present: names.has(name) }));
  const knowsTarget = problem === undefined && node !== undefined ? await knows(node, connection, limits) : undefined;
  return { address: connection.address, problem, series, jobs, knowsTarget };
}

/** Scrape configurations put the name of a node in `node` or `instance`, with or without a port. */
async function knows(node: string, connection: TargetConnection, limits: RequestLimits): Promise<boolean> {
  const name = node.replace(/\./g, '\\\\.');
  const query = `count(go_goroutines{node="${node}"} or go_goroutines{instance=~"${name}(:[0-9]+)?"})`;
  const reply = await connection.get(`/api/v1/query?query=${encodeURIComponent(query)}`, limits);
  return reply.kind === 'answer' && reply.status === 200 && readLabelSets(reply.body).length > 0;
}
