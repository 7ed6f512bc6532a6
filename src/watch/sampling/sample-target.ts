/** One turn of one target: scrapes it, reads the sample and passes it on. */
import { clusterOf, targetKind } from '../../evidence/target.ts';
import { explain } from '../../live/replies/explain.ts';
import { noteRestart } from '../incidents/follow-restart.ts';
import { SampleReader } from '../../evidence/read-sample.ts';
import { considerCapture } from '../incidents/run-captures.ts';
import { formatAge } from '../../base/quantities.ts';
import type { FailureKind } from '../../live/replies/explanation.ts';
import { readLimit, withLimit } from './read-limit.ts';
import { describeTarget } from '../state/describe-target.ts';
import { giveToDetector } from '../state/give-to-detector.ts';
import { readConfigz } from './read-configz.ts';
import { maySamplePprof, pprofSeconds, samplePprof } from './sample-pprof.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { tell, type WatchState } from '../state/watch-state.ts';

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
    tell(state, sample.at, target.name, `has no /metrics: sampled from ${sampled}`);
  }
  takeSample(state, target, sample.at, sample.values);
  return true;
}

function setAttributes(state: WatchState, target: WatchedTarget, attributes: WatchedTarget['attributes']): void {
  target.attributes = attributes;
  state.ports.samples.putTarget(target.name, attributes);
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
  if (target.lastSampleAt !== undefined && at <= target.lastSampleAt) return;
  const restart = target.observe(at, values);
  if (target.isUnread) target.sampledSince ??= at;
  state.counters.samples++;
  state.ports.samples.addSample(target.name, at, values);
  giveToDetector(state, target, { target: target.name, at, values });
  // Otherwise when its past is read.
  if (restart !== undefined && !target.isUnread) noteRestart(state, target, restart);
  considerCapture(state, target);
}
