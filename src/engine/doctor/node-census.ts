/** The nodes of a cluster at a glance. */
import { decodeText } from '../../base/text.ts';
import type { NodeCensus } from '../../model/doctor.ts';
import type { ClusterConnection, RequestLimits } from '../../ports/target-connection.ts';
import { explain } from '../../diagnosis/replies/explain.ts';

interface NodeObject {
  readonly metadata?: { readonly name?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

interface NodePage {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly NodeObject[];
}

const PAGE = 500;
/** No cluster has more. */
const MAX_PAGES = 40;

export async function countNodes(cluster: ClusterConnection, limits: RequestLimits): Promise<NodeCensus> {
  const nodes: NodeObject[] = [];
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
    const { items, metadata } = parsePage(reply.body);
    if (Array.isArray(items)) nodes.push(...(items as NodeObject[]));
    next = metadata?.continue ?? '';
    if (next === '') break;
  }
  return censusOf(nodes);
}

/** What is no JSON has no nodes. */
function parsePage(body: Uint8Array): NodePage {
  try {
    return (JSON.parse(decodeText(body)) ?? {}) as NodePage;
  } catch {
    return {};
  }
}

function censusOf(nodes: readonly NodeObject[]): NodeCensus {
  const byVersion = new Map<string, number>();
  for (const { status } of nodes) {
    const version = status?.nodeInfo?.kubeletVersion ?? 'unknown';
    byVersion.set(version, (byVersion.get(version) ?? 0) + 1);
  }
  const name = (node: NodeObject): string => node.metadata?.name ?? '';
  const ready = nodes.filter(isReady);
  return {
    total: nodes.length,
    notReady: nodes.filter(node => !isReady(node)).map(name),
    versions: [...byVersion].map(([version, count]) => ({ version, nodes: count })).sort((a, b) => b.nodes - a.nodes),
    sample: ready.length > 0 ? name(ready[0]) : undefined,
    problem: undefined,
  };
}

function isReady({ status }: NodeObject): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
