/** The nodes of a cluster: how many, which versions, which are not ready. */
import { type JsonRecord, listOf, recordOf, textOf } from '../../base/json.ts';
import type { NodeCensus } from './doctor.ts';
import type { ClusterConnection, RequestLimits } from '../ports.ts';
import { explain } from './explain.ts';
import { replyJson } from '../reply.ts';

const PAGE = 500;
/** No cluster has more. */
const MAX_PAGES = 40;
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

export async function countNodes(cluster: ClusterConnection, limits: RequestLimits): Promise<NodeCensus> {
  const nodes: JsonRecord[] = [];
  let next = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `/api/v1/nodes?limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
    const reply = await cluster.get(path, limits);
    const problem = explain(reply, {
      target: 'the cluster',
      via: 'api-server',
      address: cluster.address,
      path: '/api/v1/nodes',
    });
    if (reply.kind !== 'answer' || problem !== undefined)
      return { total: nodes.length, notReady: [], versions: [], sample: undefined, problem };
    const { items, metadata } = replyJson(reply, MAX_PAGE_BYTES);
    nodes.push(...listOf(items).map(recordOf));
    next = textOf(recordOf(metadata)['continue']);
    if (next === '') break;
  }
  return censusOf(nodes);
}

function censusOf(nodes: readonly JsonRecord[]): NodeCensus {
  const byVersion = new Map<string, number>();
  for (const node of nodes) {
    const version = textOf(recordOf(recordOf(node['status'])['nodeInfo'])['kubeletVersion']) || 'unknown';
    byVersion.set(version, (byVersion.get(version) ?? 0) + 1);
  }
  const name = (node: JsonRecord): string => textOf(recordOf(node['metadata'])['name']);
  const [sample] = nodes.filter(isReady);
  return {
    total: nodes.length,
    notReady: nodes.filter(node => !isReady(node)).map(name),
    versions: [...byVersion].map(([version, count]) => ({ version, nodes: count })).sort((a, b) => b.nodes - a.nodes),
    sample: sample === undefined ? undefined : name(sample),
    problem: undefined,
  };
}

function isReady(node: JsonRecord): boolean {
  const conditions = listOf(recordOf(node['status'])['conditions']).map(recordOf);
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}
