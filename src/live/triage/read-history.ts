/**
 * Runs the history of the target in a Prometheus through the detector. If it is cheap, peers of the same job are
 * included: the detector learns from them what pods cost and how much is noise.
 */
import { matcherOf, seriesOf } from '../../evidence/recording/hourly-query.ts';
import { createFleetDetector } from '../../judge/detect/fleet-detector.ts';
import { FormatError } from '../../base/errors.ts';
import type { DetectedTarget } from '../../judge/detect/recorded-detection.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { TriageHistory } from './triage.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { RequestLimits, MetricsHistory } from '../ports.ts';
import type { Answer, Reply } from '../reply.ts';
import { KUBELET_CGROUP, metricsFor, SERIES_COUNT } from '../../evidence/metric-names.ts';
import { readRecording, type RecordedTarget, type Recording } from '../../evidence/recording/read-recording.ts';
import { runDetection } from '../../judge/detect/detect-recording.ts';
import { NothingToJudge } from '../../judge/detect/fleet-replay.ts';
import { explain } from '../doctor/explain.ts';
import { anchorQuery, instancesMatcher, processesIn, selectorText, type TargetLabels } from './history-selector.ts';

export interface HistoryPorts {
  readonly history: MetricsHistory;
  readonly ref: TargetRef;
  /** `node/worker-17` */
  readonly target: string;
  readonly addresses: readonly string[];
  readonly namespace: string;
  /** Label matchers that the user gave; '' for none. */
  readonly match: string;
  readonly memoryLimitBytes: number | undefined;
  readonly nowSeconds: number;
  readonly signal: AbortSignal;
}

const WINDOW_SECONDS = 14 * 86_400;
/** The detector needs a sample every ten minutes; Prometheus looks back five. */
const STEP_SECONDS = 300;
const PEER_STEP_SECONDS = 600;
const MAX_PEERS = 20;
const ANSWER_BYTES = 64 * 1024 * 1024;
const DEADLINE_SECONDS = 30;

/** Metrics that the detector reads and of which a process has only a few series. */
const METRICS = metricsFor('detection').filter(one => !one.isPerPod && one.name !== SERIES_COUNT);
const CGROUP_METRICS = metricsFor('detection').filter(({ only }) => only === KUBELET_CGROUP);

export async function readHistory(ports: HistoryPorts): Promise<TriageHistory> {
  const { history } = ports;
  const nothing = { address: history.address, selector: '', peerCount: 0, detected: null };
  try {
    const found = await findTarget(ports);
    if (typeof found === 'string') return { ...nothing, problem: found };
    const selector = selectorText(found);
    const own = await recordingOf(ownQueries(ports.ref, selector), STEP_SECONDS, ports);
    if (typeof own === 'string') return { ...nothing, selector, problem: own };
    const peers = await peersOf(found, ports);
    const detected = detect(own, peers, ports);
    const problem = detected === undefined ? 'it has no samples of the target: check that it is scraped' : null;
    return { ...nothing, selector, peerCount: peers.length, detected: detected ?? null, problem };
  } catch (error) {
    if (!(error instanceof FormatError) && !(error instanceof NothingToJudge)) throw error;
    return { ...nothing, problem: error.message };
  }
}

/** The labels of the target, or why they are unknown. */
async function findTarget(ports: HistoryPorts): Promise<TargetLabels | string> {
  const { history, ref, target, match } = ports;
  const narrow = `name it with --prometheus-match, e.g. 'instance="10.0.0.1:10250"'`;
  const query = anchorQuery(ref, ports.addresses, ports.namespace, match);
  if (query === undefined) return `no Prometheus scrapes ${target}; if one scrapes the process elsewhere, ${narrow}`;
  const reply = await history.instant(query, limitsOf(ports));
  const problem = problemOf(reply, '/api/v1/query', ports);
  if (problem !== undefined || reply.kind !== 'answer') return problem ?? reply.kind;
  const found = processesIn(reply.body);
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined) return `it has no series of ${target} (${query}): check that it is scraped, or ${narrow}`;
  const shown = found.slice(0, 3).map(selectorText).join(' or ');
  return `${found.length} of its targets may be ${target} (${shown}): ${narrow}`;
}

function ownQueries(ref: TargetRef, selector: string): string[] {
  const main = seriesOf(METRICS, selector);
  return ref.kind === 'node' ? [main, seriesOf(CGROUP_METRICS, matcherOf(KUBELET_CGROUP), selector)] : [main];
}

/** The recording in the answers, or why there is none. */
async function recordingOf(
  queries: readonly string[],
  stepSeconds: number,
  ports: HistoryPorts,
): Promise<Recording | string> {
  const { history, nowSeconds } = ports;
  const toSeconds = Math.floor(nowSeconds);
  const request = { fromSeconds: toSeconds - WINDOW_SECONDS, toSeconds, stepSeconds };
  const items: PileItem[] = [];
  for (const query of queries) {
    const reply = await history.range({ query, ...request }, limitsOf(ports));
    const problem = problemOf(reply, '/api/v1/query_range', ports);
    if (problem !== undefined || reply.kind !== 'answer') return problem ?? reply.kind;
    items.push(memberOf(`range-query-${items.length + 1}.json`, reply));
  }
  const recording = await readRecording(pileOf(items));
  return recording.unread[0]?.message ?? recording;
}

/** An even selection of the job; empty on failure, since peers only help. */
async function peersOf(own: TargetLabels, ports: HistoryPorts): Promise<readonly RecordedTarget[]> {
  if (own.job === '') return [];
  const job = selectorText({ cluster: own.cluster, job: own.job });
  const reply = await ports.history.instant(`process_start_time_seconds{${job}}`, limitsOf(ports));
  if (reply.kind !== 'answer' || problemOf(reply, '/api/v1/query', ports) !== undefined) return [];
  const others = processesIn(reply.body).filter(({ instance }) => instance !== own.instance);
  const every = Math.max(1, Math.ceil(others.length / MAX_PEERS));
  const chosen = others.filter((_, i) => i % every === 0).map(({ instance }) => instance);
  if (chosen.length === 0) return [];
  const query = seriesOf(METRICS, job, instancesMatcher(chosen));
  const recording = await recordingOf([query], PEER_STEP_SECONDS, ports);
  return typeof recording === 'string' ? [] : recording.targets;
}

function detect(
  own: Recording,
  peers: readonly RecordedTarget[],
  { target, memoryLimitBytes }: HistoryPorts,
): DetectedTarget | undefined {
  // Series of its cgroup may have been taken for another target.
  const [main] = [...own.targets].sort((a, b) => b.timeline.rowCount - a.timeline.rowCount);
  if (main === undefined) return undefined;
  const targets = [
    { name: target, timeline: main.timeline },
    ...peers.map(({ name, timeline }) => ({ name: `peer ${name}`, timeline })),
  ];
  const limit = memoryLimitBytes === undefined ? {} : { memoryLimitBytes };
  const detector = createFleetDetector(limit);
  const atSeconds = main.timeline.toSeconds;
  return runDetection({ ...own, targets }, { detector, atSeconds }).targets.find(one => one.target === target);
}

function limitsOf({ signal }: HistoryPorts): RequestLimits {
  return { deadlineSeconds: DEADLINE_SECONDS, maxBytes: ANSWER_BYTES, signal };
}

function problemOf(reply: Reply, path: string, { history }: HistoryPorts): string | undefined {
  const { address } = history;
  const why = explain(reply, { target: `the Prometheus at ${address}`, via: 'http', address, path });
  return why === undefined ? undefined : `${why.sentence}; ${why.nextStep}`;
}

/** Data from elsewhere as a pile of files. */
export async function* pileOf(items: readonly PileItem[]): AsyncGenerator<PileItem> {
  yield* items;
}

/** The body of an answer, as a file of that name. */
export function memberOf(path: string, { body }: Answer): PileItem {
  return { kind: 'member', path, bytes: body, mtimeSeconds: undefined, damage: undefined };
}
