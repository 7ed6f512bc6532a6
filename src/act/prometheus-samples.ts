/** The samples of a node in a Prometheus, before and after its restart, for `oakum verify --prometheus`. */
import { FormatError } from '../base/errors.ts';
import { listOf, recordOf, textOf } from '../base/json.ts';
import { explain } from '../live/doctor/explain.ts';
import { readRecording } from '../evidence/recording/read-recording.ts';
import { seriesOf } from '../evidence/recording/hourly-query.ts';
import { metricsFor, SERIES_COUNT } from '../evidence/metric-names.ts';
import type { NodePlan } from './plan/plan.ts';
import type { VerifySample } from './plan-verification.ts';
import type { PileItem } from '../evidence/pile.ts';
import type { Reply } from '../live/reply.ts';
import { anchorQuery, processesIn, selectorText } from '../live/triage/history-selector.ts';
import type { MetricsHistory, ClusterActions } from '../live/ports.ts';

export interface PrometheusPorts {
  readonly history: MetricsHistory;
  readonly actions: Pick<ClusterActions, 'node'>;
  /** Label matchers that the user gave; '' for none. */
  readonly match: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const METRICS = metricsFor('detection').filter(one => !one.isPerPod && one.name !== SERIES_COUNT);
const LIMITS = { deadlineSeconds: 30, maxBytes: 64 * 1024 * 1024 };
const BEFORE_SECONDS = 3 * 86_400;
const MAX_POINTS = 600;
const MIN_STEP_SECONDS = 15;
/** The detector's own: a coarser step would leave out scrapes that Prometheus has. */
const MAX_STEP_SECONDS = 300;

/** In order of time, or why there are none. */
export async function prometheusSamples(
  nodePlan: NodePlan,
  atSeconds: number,
  ports: PrometheusPorts,
): Promise<readonly VerifySample[] | string> {
  const { node, verification } = nodePlan;
  const selector = await findNode(node, ports);
  if (selector.problem !== undefined) return selector.problem;
  const start = verification.before.processStartSeconds ?? 0;
  const now = ports.now();
  const spans = [
    { from: Math.max(start, atSeconds - BEFORE_SECONDS), to: atSeconds },
    { from: atSeconds, to: now },
  ];
  const samples: VerifySample[] = [];
  for (const { from, to } of spans) {
    if (to <= from) continue;
    const step = Math.min(MAX_STEP_SECONDS, Math.max(MIN_STEP_SECONDS, Math.ceil((to - from) / MAX_POINTS)));
    const query = { fromSeconds: Math.ceil(from), toSeconds: Math.floor(to), stepSeconds: step };
    const reply = await ports.history.range(
      { query: seriesOf(METRICS, selector.text), ...query },
      { ...LIMITS, signal: ports.signal },
    );
    const problem = problemOf(reply, '/api/v1/query_range', ports);
    if (problem !== undefined || reply.kind !== 'answer') return problem ?? reply.kind;
    try {
      const recording = await readRecording(itemsOf(reply.body));
      const [main] = [...recording.targets].sort((a, b) => b.timeline.rowCount - a.timeline.rowCount);
      for (const { atSeconds: at, values } of main?.timeline.until(to) ?? []) samples.push({ node, at, values });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return `${ports.history.address}: ${error.message}`;
    }
  }
  return samples.sort((a, b) => a.at - b.at);
}

async function findNode(
  node: string,
  ports: PrometheusPorts,
): Promise<{ readonly text: string; readonly problem?: undefined } | { readonly problem: string }> {
  const found = await ports.actions.node(node);
  const status = found.kind === 'done' ? recordOf(found.value['status']) : {};
  const addresses = listOf(status['addresses']).map(one => textOf(recordOf(one)['address']));
  const query = anchorQuery({ kind: 'node', name: node }, addresses, '', ports.match) ?? '';
  const reply = await ports.history.instant(query, { ...LIMITS, signal: ports.signal });
  const problem = problemOf(reply, '/api/v1/query', ports);
  if (problem !== undefined || reply.kind !== 'answer') return { problem: problem ?? reply.kind };
  const processes = processesIn(reply.body);
  const [only, ...more] = processes;
  const narrow = `name it with --prometheus-match, such as 'instance="10.0.0.1:10250"'`;
  if (only === undefined) return { problem: `${ports.history.address} has no series of node/${node}; ${narrow}` };
  if (more.length > 0) {
    const shown = processes.slice(0, 3).map(selectorText).join(' or ');
    return { problem: `${processes.length} targets may be node/${node} (${shown}); ${narrow}` };
  }
  return { text: selectorText(only) };
}

async function* itemsOf(bytes: Uint8Array): AsyncGenerator<PileItem> {
  yield { kind: 'member', path: 'range-query.json', bytes, mtimeSeconds: undefined, damage: undefined };
}

function problemOf(reply: Reply, path: string, { history: { address } }: PrometheusPorts): string | undefined {
  const why = explain(reply, { target: `the Prometheus at ${address}`, via: 'http', address, path });
  return why === undefined ? undefined : `${why.sentence}; ${why.nextStep}`;
}
