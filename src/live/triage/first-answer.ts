/** What is known within seconds: one scrape, and what the API server knows about the node. */
import { sniffExposition } from '../../evidence/formats/exposition.ts';
import { type Explanation, NOT_METRICS, wrongContent } from '../doctor/explanation.ts';
import { listOf, optionalText, recordOf } from '../../base/json.ts';
import type { OomCycle } from '../../evidence/cycle/cycle.ts';
import type { TriageScrape } from './triage.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { ClusterConnection, TargetConnection } from '../ports.ts';
import { type Answer, type Reply, replyJson } from '../reply.ts';
import { nodeName } from '../../evidence/target.ts';
import { cycleReport } from '../../judge/cycle/cycle-of.ts';
import { explain } from '../doctor/explain.ts';
import { allocatableMemory } from '../../evidence/node-attributes.ts';
import { cgroupLimitIn } from '../../evidence/scrape-facts.ts';
import { noScrape, readScrape } from './triage-scrape.ts';
import { memberOf, pileOf } from './read-history.ts';

export interface FirstAnswer {
  readonly scrape: TriageScrape;
  /** The reply to /metrics, if it is good enough to keep. */
  readonly reply: Answer | undefined;
  /** Whether other requests may be answered. */
  readonly isReachable: boolean;
  /** Addresses of the node, from the API server. */
  readonly nodeAddresses: readonly string[];
}

/** A person is waiting for this answer. */
const FIRST_ANSWER_SECONDS = 4.5;
const METRICS_BYTES = 256 * 1024 * 1024;
const CADVISOR_BYTES = 16 * 1024 * 1024;
const OBJECT_BYTES = 8 * 1024 * 1024;

export async function firstAnswer(
  connection: TargetConnection,
  cluster: ClusterConnection | undefined,
  nowSeconds: number,
  requestTimeoutSeconds: number,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  const node = nodeName(connection.target);
  const limits = { deadlineSeconds: Math.min(FIRST_ANSWER_SECONDS, requestTimeoutSeconds), signal };
  const objects = node === undefined || cluster === undefined ? [] : objectPaths(node);
  const name = node ?? 'target';
  const [reply, cadvisor, ...replies] = await Promise.all([
    connection.get('/metrics', { ...limits, maxBytes: METRICS_BYTES }),
    node === undefined ? undefined : connection.get('/metrics/cadvisor', { ...limits, maxBytes: CADVISOR_BYTES }),
    ...objects.map(({ path }) => (cluster as ClusterConnection).get(path, { ...limits, maxBytes: OBJECT_BYTES })),
  ]);
  const problem = explain(reply, { ...connection, path: '/metrics' }) ?? contentProblem(reply);
  const answer = reply.kind === 'answer' && problem === undefined ? reply : undefined;
  const members = objects.flatMap(({ file }, i) => {
    const answered = replies[i];
    return answered !== undefined && isWhole(answered) ? [memberOf(`${name}/${file}`, answered)] : [];
  });
  // The process's start time is by the same clock.
  const atSeconds = Math.floor(answer?.dateSeconds ?? answer?.headAtSeconds ?? nowSeconds);
  if (answer !== undefined) members.push(memberOf(`${name}/metrics-${atSeconds}.prom`, answer));
  const cycle = await cycleOf(members, nowSeconds);
  return {
    scrape:
      answer === undefined
        ? noScrape(`${problem?.sentence}; ${problem?.nextStep}`, reply.tookSeconds, cycle)
        : withLimit(readScrape(answer, cycle), cadvisor, replies[0]),
    reply: answer,
    isReachable: !NOBODY_THERE.has(reply.kind),
    nodeAddresses: addressesOf(replies[0]),
  };
}

/** Every other request would end in the same way. */
const NOBODY_THERE: ReadonlySet<Reply['kind']> = new Set([
  ...(['credentials', 'dns', 'refused', 'unreachable', 'socket', 'proxy', 'tls', 'not-http'] as const),
]);

/** A login page has the status 200, too. */
function contentProblem(reply: Reply): Explanation | undefined {
  return reply.kind !== 'answer' || sniffExposition(reply.body) ? undefined : wrongContent('/metrics', NOT_METRICS);
}

/** That of the cgroup is the hardest; what the node has allocatable counts only if there is no other. */
function withLimit(scrape: TriageScrape, cadvisor: Reply | undefined, node: Reply | undefined): TriageScrape {
  const cgroup = cadvisor !== undefined && isWhole(cadvisor) ? cgroupLimitIn(cadvisor.body) : undefined;
  if (cgroup !== undefined) return { ...scrape, memoryLimit: { bytes: cgroup, from: 'cgroup' } };
  const allocatable = node === undefined ? undefined : allocatableMemory(replyJson(node, OBJECT_BYTES));
  if (scrape.memoryLimit !== null || allocatable === undefined) return scrape;
  return { ...scrape, memoryLimit: { bytes: allocatable, from: 'node allocatable' } };
}

function objectPaths(node: string): { path: string; file: string }[] {
  const selector = encodeURIComponent(`involvedObject.kind=Node,involvedObject.name=${node}`);
  return [
    { path: `/api/v1/nodes/${node}`, file: 'node.json' },
    { path: `/api/v1/events?limit=500&fieldSelector=${selector}`, file: 'events.json' },
  ];
}

function isWhole(reply: Reply): reply is Answer {
  return reply.kind === 'answer' && reply.status === 200 && reply.cut === undefined;
}

async function cycleOf(members: readonly PileItem[], nowSeconds: number): Promise<OomCycle | undefined> {
  const { cycles } = await cycleReport(pileOf(members), { nowSeconds });
  return cycles[0];
}

function addressesOf(reply: Reply | undefined): string[] {
  if (reply === undefined) return [];
  const { addresses } = recordOf(replyJson(reply, OBJECT_BYTES)['status']);
  return listOf(addresses).flatMap(one => optionalText(recordOf(one)['address']) ?? []);
}
