/** One turn of one target: scrapes it, reads the sample and passes it on. */
import { clusterOf, targetKind } from '../../evidence/target.ts';
import { explain } from '../../live/doctor/explain.ts';
import { noteRestart } from '../incidents/follow-restart.ts';
import { SampleReader } from '../../evidence/read-sample.ts';
import { considerCapture } from '../incidents/run-captures.ts';
import { formatAge } from '../../base/say.ts';
import type { FailureKind } from '../../live/doctor/explanation.ts';
import { describeTarget } from '../state/describe-target.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { reasonNotToCollect } from '../../live/capture/capture-steps.ts';
import { sampleOfPprof } from '../../evidence/pprof-sample.ts';
import type { Reply } from '../../live/reply.ts';
import { CGROUP_LIMIT, cgroupLimitIn } from '../../evidence/scrape-facts.ts';
import { limitSourceIn, NODE_ALLOCATABLE } from '../../evidence/resource.ts';
import { parseJsonBytes, recordOf } from '../../base/json.ts';
import { logEvent } from '../state/story.ts';

/**
 * Whether a kubelet's configuration changed: a hash of /configz as an attribute. Read once in each life, since a kubelet
 * reads its configuration when it starts. Without the right to read it, it is done without.
 */
const MAX_CONFIGZ_BYTES = 2 * 1024 * 1024;

/** These name one node: with them, every node would have a configuration of its own. */
const OF_ONE_NODE: ReadonlySet<string> = new Set(['providerID', 'address']);

/**
 * The memory limit of a kubelet where its metrics have none: that of its cgroup, as cAdvisor shows it. Its metrics are
 * large, so they are read once an hour at most, up to a size, and not at all where a limit is known.
 */
const EVERY_SECONDS = 3600;

const MAX_LIMIT_BYTES = 16 * 1024 * 1024;

/** In the detector's hours. */
const EVERY_HOURS = 1 / 12;

/** Only the first line is needed. */
const GOROUTINE_BYTES = 64 * 1024;

const HEAP_BYTES = 32 * 1024 * 1024;

/** A kubelet's metrics are some hundred KB, those of large API servers some ten MB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** For a node, whose metrics are much smaller; many requests are in flight at once. */
const MAX_NODE_BYTES = 16 * 1024 * 1024;

/** Whether it answered. */
export async function sampleTarget(state: WatchState, target: WatchedTarget): Promise<boolean> {
  const { connection, read } = target;
  if (read !== undefined) {
    takeSample(state, target, state.ports.clock.now(), read());
    return true;
  }
  if (connection === undefined) return false;
  if (target.pprofDueAt !== undefined && state.ports.clock.now() < target.pprofDueAt) return true;
  const path = '/metrics';
  const reader = new SampleReader();
  const reply = await connection.get(path, {
    deadlineSeconds: state.options.deadlineSeconds,
    maxBytes: targetKind(target.name) === 'node' ? MAX_NODE_BYTES : MAX_BYTES,
    signal: state.stopping,
    mayReuse: true,
    onBody: chunk => reader.push(chunk),
  });
  const why = explain(reply, { ...connection, path });
  if (why !== undefined) {
    if (why.kind === 'stopped') return false;
    if (NO_METRICS.has(why.kind) && maySamplePprof(target)) return sampleWithoutMetrics(state, target, why.sentence);
    if (why.kind === 'forbidden' || why.kind === 'unauthorized')
      state.missingRights.note(
        why.kind,
        { why: 'forbidden', what: why.sentence, command: why.nextStep },
        state.ports.clock.now(),
        clusterOf(target.name),
      );
    return silent(state, target, why.sentence);
  }
  if (reply.kind !== 'answer') return false;
  // What did not stream.
  reader.push(reply.body);
  const sample = reader.finish();
  // It changed hands meanwhile.
  if (!state.share.owns(target.name)) return true;
  if (sample === undefined) {
    const said = '/metrics was answered, but not with metrics';
    return maySamplePprof(target) ? sampleWithoutMetrics(state, target, said) : silent(state, target, said);
  }
  target.pprofDueAt = undefined;
  if (target.attributes[SAMPLED] !== undefined) setAttributes(state, target, withoutSampled(target.attributes));
  describeTarget(state, target, sample.attributes, reply.headAtSeconds);
  await readLimit(state, target, sample.values);
  await readConfigz(state, target, sample.values['process_start_time_seconds']);
  takeSample(state, target, reply.headAtSeconds, withLimit(target, sample.values));
  return true;
}

/** /metrics is not there, or something else is. */
const NO_METRICS: ReadonlySet<FailureKind> = new Set<FailureKind>(['no-such-path', 'redirected', 'method-refused']);
/** The attribute that says where samples come from, if not from metrics. */
const SAMPLED = 'sampled';

async function sampleWithoutMetrics(state: WatchState, target: WatchedTarget, noMetrics: string): Promise<boolean> {
  const every = pprofSeconds(state);
  const sample = await samplePprof(state, target);
  if (sample.kind === 'none')
    return sample.why === undefined ? false : silent(state, target, `${noMetrics}; ${sample.why}`);
  target.pprofDueAt = sample.at + every - state.options.intervalSeconds / 2;
  const sampled = `/debug/pprof every ${formatAge(every)}`;
  if (target.attributes[SAMPLED] !== sampled) {
    setAttributes(state, target, { ...target.attributes, [SAMPLED]: sampled });
    logEvent(state, sample.at, target.name, `has no /metrics: sampled from ${sampled}`);
  }
  takeSample(state, target, sample.at, sample.values);
  return true;
}

function setAttributes(state: WatchState, target: WatchedTarget, attributes: WatchedTarget['attributes']): void {
  target.attributes = attributes;
  state.ports.store.putTarget(target.name, attributes);
}

function withoutSampled(attributes: WatchedTarget['attributes']): WatchedTarget['attributes'] {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => key !== SAMPLED));
}

function silent({ counters }: WatchState, target: WatchedTarget, why: string): false {
  target.silentWhy = why;
  counters.failures++;
  return false;
}

export function takeSample(
  state: WatchState,
  target: WatchedTarget,
  at: number,
  values: Readonly<Record<string, number>>,
): void {
  target.silentWhy = undefined;
  // An old sample: a recording has ended, or a clock went back.
  if (at <= (target.samples.lastAt ?? -Infinity)) return;
  const restart = target.observe(at, values);
  target.phase.noteSample(at);
  state.counters.samples++;
  state.ports.store.addSample(target.name, at, values);
  target.phase.pass({ target: target.name, at, values }, state.pending);
  // Otherwise it is noted when the history is read.
  if (restart !== undefined && !target.phase.isUnread) noteRestart(state, target, restart);
  considerCapture(state, target);
}

/** Samples a Go daemon that has /debug/pprof and no /metrics, less often than metrics: each sample is two profiles. */
type PprofSample =
  | { readonly kind: 'sample'; readonly at: number; readonly values: Readonly<Record<string, number>> }
  /** Undefined where the requests were stopped. */
  | { readonly kind: 'none'; readonly why: string | undefined };

/** Not a kubelet: it always has metrics, and its profiles need more rights. */
function maySamplePprof(target: WatchedTarget): boolean {
  return targetKind(target.name) !== 'node';
}

/** Seconds between two samples of this kind. */
function pprofSeconds({ options }: WatchState): number {
  return Math.max(options.intervalSeconds, EVERY_HOURS * options.hourSeconds);
}

async function samplePprof(state: WatchState, target: WatchedTarget): Promise<PprofSample> {
  const { connection } = target;
  if (connection === undefined) return { kind: 'none', why: undefined };
  const ask = (path: string, maxBytes: number): Promise<Reply> =>
    connection.get(path, { deadlineSeconds: state.options.deadlineSeconds, maxBytes, signal: state.stopping });
  const isCollected = state.options.gc && reasonNotToCollect(target.samples.liveHeapBytes) === undefined;
  const goroutines = await ask('/debug/pprof/goroutine?debug=1', GOROUTINE_BYTES);
  const path = '/debug/pprof/goroutine';
  if (goroutines.kind !== 'answer' || goroutines.status !== 200) {
    const why = explain(goroutines, { ...connection, path });
    return { kind: 'none', why: why?.kind === 'stopped' ? undefined : why?.sentence };
  }
  const heap = await ask(`/debug/pprof/heap?${isCollected ? 'gc=1&' : ''}debug=1`, HEAP_BYTES);
  const heapText = heap.kind === 'answer' && heap.status === 200 && heap.cut === undefined ? heap.body : undefined;
  const at = goroutines.headAtSeconds;
  const values = sampleOfPprof({ goroutines: goroutines.body, heap: heapText, isCollected }, target.samples.latest, at);
  if (values === undefined) return { kind: 'none', why: `${path} was answered, but not with a profile` };
  return { kind: 'sample', at, values };
}

type Values = Readonly<Record<string, number>>;

/** The sample with what is known about its limit besides. */
function withLimit({ limits }: WatchedTarget, values: Values): Values {
  const { cgroupBytes, givenBytes, allocatableBytes } = limits;
  if (limitSourceIn(values) !== undefined) return values;
  if (cgroupBytes !== undefined) return { ...values, [CGROUP_LIMIT]: cgroupBytes };
  if (givenBytes !== undefined || allocatableBytes === undefined) return values;
  return { ...values, [NODE_ALLOCATABLE]: allocatableBytes };
}

/** After a sample that has no limit. A refusal is no failure: the rest of the sample is there. */
async function readLimit(state: WatchState, target: WatchedTarget, values: Values): Promise<void> {
  const { connection } = target;
  if (connection === undefined || targetKind(target.name) !== 'node' || limitSourceIn(values) !== undefined) return;
  const now = state.ports.clock.now();
  if (now - (target.limits.readAt ?? -Infinity) < EVERY_SECONDS) return;
  target.limits.readAt = now;
  const { deadlineSeconds } = state.options;
  const reply = await connection.get('/metrics/cadvisor', {
    deadlineSeconds,
    maxBytes: MAX_LIMIT_BYTES,
    signal: state.stopping,
  });
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return;
  target.limits.cgroupBytes = cgroupLimitIn(reply.body);
}

async function readConfigz(state: WatchState, target: WatchedTarget, startSeconds: number | undefined): Promise<void> {
  const { connection } = target;
  if (connection === undefined || startSeconds === undefined || targetKind(target.name) !== 'node') return;
  if (target.configReadOf === startSeconds) return;
  target.configReadOf = startSeconds;
  const reply = await connection.get('/configz', {
    deadlineSeconds: state.options.deadlineSeconds,
    maxBytes: MAX_CONFIGZ_BYTES,
    signal: state.stopping,
  });
  if (reply.kind !== 'answer' || reply.status !== 200 || reply.cut !== undefined) return;
  const config = recordOf(parseJsonBytes(reply.body, MAX_CONFIGZ_BYTES))['kubeletconfig'];
  if (config === undefined) return;
  describeTarget(state, target, { config: configHash(config) }, reply.headAtSeconds);
}

export function configHash(config: unknown): string {
  const shared = Object.entries(recordOf(config)).filter(([key]) => !OF_ONE_NODE.has(key));
  return hashOf(sorted(Object.fromEntries(shared)));
}

/** Keys in one order: two servers may write them in two. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** FNV-1a, twice with different beginnings: 16 digits tell the configurations of a fleet apart. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01234567];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (b >>> 15);
  }
  return [a, b].map(part => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
