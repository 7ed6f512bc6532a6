/**
 * When something is suspected, the profiles that a continuous profiler has of this life become captures, so that what
 * grew is known at once. Once for each life: what was stored is not asked for again, also not after a restart of watch.
 */
import { oneLine } from '../../base/text-layout.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { findProcess } from '../../live/find-process.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { ProfilerSource, WatchState } from '../state/watch-state.ts';
import { addToIncident, newCaptureId } from './add-captures.ts';
import { PROFILER_TRIGGER, type NewCapture, type StoredCapture } from '../../store/records.ts';
import { PAST_MOMENTS, readSpread } from '../../live/past-profiles.ts';
import { logEvent } from '../state/story.ts';

/** Targets whose profiles are read at the same time. */
const MAX_AT_ONCE = 2;
/** Uncompressed, of one target; what is beyond is left out. */
const MAX_BYTES = 256 * 2 ** 20;
/** After a failure. */
const RETRY_SECONDS = 3600;

/** Reads the profiles of a target with an incident, unless they were read or there is too much to do already. */
export function considerProfiler(state: WatchState, target: WatchedTarget): void {
  const { ports, profilerBudget, readingProfiler, stopping } = state;
  if (ports.profiler === undefined || target.incidentId === undefined || target.phase.isUnread || stopping.aborted)
    return;
  if (!mayLeak(target.verdict?.verdict ?? 'unknown') || readingProfiler.has(target.name)) return;
  const now = ports.clock.now();
  if (now < (target.captures.profilerDueAt ?? 0) || hasProfiles(state, target)) return;
  if (readingProfiler.size >= MAX_AT_ONCE || !profilerBudget.spend(now, 'slope')) return;
  readingProfiler.add(target.name);
  const work = readProfiles(state, target, ports.profiler)
    .catch((error: unknown) => noteFailure(state, target, now, (error as Error).message))
    .then(() => {
      readingProfiler.delete(target.name);
      state.working.delete(work);
    });
  state.working.add(work);
}

function hasProfiles({ captures }: WatchState, { name, startSeconds }: WatchedTarget): boolean {
  for (const { target, trigger, processStartSeconds } of captures.values())
    if (target === name && trigger === PROFILER_TRIGGER && isSameLife(processStartSeconds, startSeconds)) return true;
  return false;
}

async function readProfiles(state: WatchState, target: WatchedTarget, profiler: ProfilerSource): Promise<void> {
  const { ports, stopping: signal } = state;
  const { history } = profiler;
  const { startSeconds } = target;
  const toSeconds = ports.clock.now();
  target.captures.profilerDueAt = toSeconds + RETRY_SECONDS;
  const fromSeconds = Math.max(toSeconds - profiler.sinceSeconds, startSeconds ?? 0);
  const asked = { name: target.name, addresses: [], namespace: '', match: '', also: profiler.selector };
  const found = await findProcess(history, asked, { fromSeconds, toSeconds, signal });
  if (typeof found === 'string') return noteFailure(state, target, toSeconds, found);
  const moments: { at: number; files: NewCapture['files'][number][] }[] = [];
  const problems: string[] = [];
  let bytesRead = 0;
  for (const profiles of found.profiles) {
    let index = 0;
    for await (const one of readSpread(history, profiles, signal, PAST_MOMENTS)) {
      if (bytesRead > MAX_BYTES) break;
      const moment = (moments[index++] ??= { at: one.atSeconds, files: [] });
      if ('problem' in one) {
        problems.push(one.problem);
        continue;
      }
      bytesRead += one.bytes.length;
      const { kind } = profiles;
      const request = `${history.address}/${kind}`;
      const bytes = await stored(state, kind, one.bytes);
      moment.files.push({ kind, at: one.atSeconds, truncated: null, request, bytes });
    }
  }
  if (signal.aborted) return;
  // It may have been restarted meanwhile.
  if (!isSameLife(startSeconds, target.startSeconds)) return void (target.captures.profilerDueAt = undefined);
  const captures: StoredCapture[] = [];
  const reason = `from ${history.address}: {${found.selector}}`;
  for (const { at, files } of moments)
    if (files.length > 0) captures.push(await store(state, { target, at, reason, files }));
  const [problem] = problems;
  if (captures.length === 0) return noteFailure(state, target, toSeconds, problem ?? 'it has none');
  const count = captures.reduce((sum, { files }) => sum + files.length, 0);
  const lost = problem === undefined ? '' : `; ${problems.length} could not be read: ${problem}`;
  const text = `${count} profiles of the past ${reason}${lost}`;
  target.captures.profilerDueAt = Infinity;
  state.counters.profilerProfiles += count;
  ports.store.put({ kind: 'event', record: { target: target.name, at: toSeconds, kind: 'capture', text } });
  logEvent(state, toSeconds, target.name, text);
  await addToIncident(state, target, captures, { at: toSeconds, text });
  state.emit({ kind: 'target', target: target.name, at: ports.clock.now() });
}

/** As the store takes it: compressed. */
async function stored({ ports }: WatchState, name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const folder = ports.scratchFolder();
  await folder.write(name, bytes);
  return folder.content(name) ?? bytes;
}

interface Moment {
  readonly target: WatchedTarget;
  readonly at: number;
  readonly reason: string;
  readonly files: NewCapture['files'];
}

async function store(state: WatchState, { target, at, reason, files }: Moment): Promise<StoredCapture> {
  const id = newCaptureId(state, at);
  const capture = await state.ports.store
    .addCapture({
      id,
      target: target.name,
      at,
      trigger: PROFILER_TRIGGER,
      reason,
      processStartSeconds: target.startSeconds,
      files,
    })
    .finally(() => void state.newCaptureIds.delete(id));
  state.captures.set(id, capture);
  return capture;
}

/** Logged once for each life; it is tried again later. */
function noteFailure(state: WatchState, target: WatchedTarget, at: number, why: string): void {
  if (state.stopping.aborted) return;
  state.counters.failedProfilerReads++;
  if (target.captures.isProfilerFailureLogged) return;
  target.captures.isProfilerFailureLogged = true;
  const text = `no profiles of the past: ${oneLine(why)}`;
  state.ports.store.put({ kind: 'event', record: { target: target.name, at, kind: 'note', text } });
  logEvent(state, at, target.name, text);
}
