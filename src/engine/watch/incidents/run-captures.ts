/** Takes captures when a trigger fires, stores them and analyses them. */
import { oneLine } from '../../../base/text-layout.ts';
import { fixedInText } from '../../../catalogue/match-phrases.ts';
import { ROUTINE_KEPT, type StoredCapture } from '../../../model/stored-capture.ts';
import type { Explanation } from '../../../model/explanation.ts';
import { reasonNotToCollect } from '../../capture/capture-steps.ts';
import { captureWish, type CaptureWish, type LastCapture } from '../state/capture-policy.ts';
import { isRoutineDue } from '../state/routine-profiles.ts';
import { isSameLife } from '../../../model/process-life.ts';
import { updateSentence } from './change-incident.ts';
import { followVerdict } from './follow-verdicts.ts';
import { analyzeCaptures, incidentCaptures } from './incident-analysis.ts';
import { takeEvidence } from './take-capture.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import { tell, type WatchState } from '../state/watch-state.ts';

/** After each sample, and when something is suspected. */
export function considerCapture(state: WatchState, target: WatchedTarget): void {
  const { options, ports, budget } = state;
  if (!options.capturesAllowed || target.connection === undefined || target.isCapturing || state.stopping.aborted)
    return;
  const now = ports.clock.now();
  const wish = wishOf(target, now, state) ?? routineWish(target, now, state);
  if (wish === undefined) return;
  if (wish.trigger !== 'routine' && !budget.spend(now, wish.trigger)) return void state.counters.putOffCaptures++;
  const work = takeCapture(state, target, wish).then(() => void state.working.delete(work));
  state.working.add(work);
}

function wishOf(target: WatchedTarget, now: number, { options }: WatchState): CaptureWish | undefined {
  const { startSeconds, worst } = target;
  return captureWish(
    {
      now,
      lifeSeconds: startSeconds === undefined ? undefined : now - startSeconds,
      goroutines: target.goroutines,
      liveHeapBytes: target.liveHeapBytes,
      memoryBytes: target.memoryBytes,
      memoryLimitBytes: target.memoryLimitBytes,
      cpuCores: target.cpuCores,
      verdict: target.verdict?.verdict ?? 'unknown',
      hoursToLimit: worst?.timeToLimitHours?.[0],
      captures: target.captures,
    },
    options.policy,
  );
}

function routineWish(target: WatchedTarget, now: number, state: WatchState): CaptureWish | undefined {
  const { startSeconds, cpuCores, lastHeapAt } = target;
  const lifeSeconds = startSeconds === undefined ? undefined : now - startSeconds;
  const { options, targets, routineBudget } = state;
  if (!isRoutineDue({ now, lifeSeconds, cpuCores, lastHeapAt }, options.policy)) return undefined;
  if (!routineBudget.spend(now, targets.size)) return undefined;
  return { trigger: 'routine', reason: 'to know what it keeps' };
}

/** Undefined when it failed; the timeline says why. */
export async function takeCapture(
  state: WatchState,
  target: WatchedTarget,
  { trigger, reason }: CaptureWish,
): Promise<StoredCapture | undefined> {
  const { ports, counters, options } = state;
  if (target.connection === undefined) return undefined;
  target.isCapturing = true;
  const at = ports.clock.now();
  // Later triggers are measured from this attempt even if it fails, so that a target that refuses is left alone.
  const seen: LastCapture = {
    at,
    trigger,
    goroutines: target.goroutines,
    liveHeapBytes: target.liveHeapBytes,
    memoryBytes: target.memoryBytes,
  };
  const { startSeconds } = target;
  try {
    const taken = await takeEvidence(target.connection, {
      ...ports,
      oakumVersion: options.oakumVersion,
      gc: options.gc && reasonNotToCollect(target.liveHeapBytes) === undefined,
      only: trigger === 'routine' ? ['heap'] : undefined,
      signal: state.stopping,
    });
    if (taken.kind === 'nothing') {
      noteMissingRight(state, taken.failure);
      throw new Error(taken.why);
    }
    state.missingRights.clear(CAPTURES);
    const id = newId(state, at);
    const capture = await ports.captures
      .addCapture({
        id,
        target: target.name,
        at,
        trigger,
        reason,
        processStartSeconds: taken.processStartSeconds ?? startSeconds,
        files: taken.files,
      })
      .finally(() => void state.newCaptureIds.delete(id));
    counters.captures++;
    state.captures.set(capture.id, capture);
    if (trigger === 'routine') keepNewestRoutine(state, target, capture.id);
    else {
      ports.incidents.addEvent(target.name, { at, kind: 'capture', text: `${trigger}: ${reason}` });
      tell(state, at, target.name, `evidence taken (${trigger}: ${reason})`);
    }
    await tellIncident(state, target, capture);
    return capture;
  } catch (error) {
    if (state.stopping.aborted) return undefined;
    counters.failedCaptures++;
    // Nothing is lost by it, and it would be said of every target.
    if (trigger === 'routine') return undefined;
    const text = `no evidence could be taken (${trigger}): ${oneLine((error as Error).message)}`;
    ports.incidents.addEvent(target.name, { at, kind: 'note', text });
    tell(state, at, target.name, text);
    return undefined;
  } finally {
    if (trigger === 'routine') target.routineAt = at;
    else target.captures = [...target.captures, seen].slice(-MAX_REMEMBERED);
    target.isCapturing = false;
    state.emit({ kind: 'target', target: target.name, at: ports.clock.now() });
  }
}

/** The store drops the same ones. */
function keepNewestRoutine({ captures }: WatchState, target: WatchedTarget, id: string): void {
  const ids = [...target.routineIds, id];
  for (const old of ids.slice(0, -ROUTINE_KEPT)) captures.delete(old);
  target.routineIds = ids.slice(-ROUTINE_KEPT);
}

const MAX_REMEMBERED = 50;
/** The key among the missing rights. */
const CAPTURES = 'captures';

function noteMissingRight({ missingRights, ports }: WatchState, failure: Explanation | undefined): void {
  if (failure === undefined || (failure.kind !== 'forbidden' && failure.kind !== 'unauthorized')) return;
  const { sentence, nextStep } = failure;
  const what = `no evidence can be taken: ${sentence}`;
  missingRights.note(CAPTURES, { why: 'forbidden', what, command: nextStep }, ports.clock.now());
}

async function tellIncident(state: WatchState, target: WatchedTarget, capture: StoredCapture): Promise<void> {
  const record = target.incidentId === undefined ? undefined : state.incidents.get(target.incidentId);
  if (record === undefined) return;
  record.captureIds.push(capture.id);
  const { at, trigger, reason, id } = capture;
  state.incidents.addStep(record, { at, kind: 'capture', text: `${trigger}: ${reason}`, captureId: id });
  const analysis = await analyzeCaptures(state, record.id, incidentCaptures(state, record));
  const now = state.ports.clock.now();
  for (const { matches } of analysis?.findings ?? []) {
    for (const match of matches) {
      if (match.affected === 'fixed' || match.grade === 'possible') continue;
      const told = `${match.ref} (${match.grade})`;
      // Nothing new where it was told before, or confirmed from other captures.
      if (record.matches.includes(told) || record.matches.includes(`${match.ref} (confirmed)`)) continue;
      record.matches.push(told);
      const text = `${match.grade} as ${match.ref}: ${match.title}; ${fixedInText(match)}`;
      state.incidents.addStep(record, { at: now, kind: 'note', text });
      tell(state, now, target.name, text);
    }
  }
  // What the capture shows of this life is evidence like what the metrics show.
  if (isSameLife(capture.processStartSeconds, target.startSeconds)) target.captured = analysis?.ledgers ?? [];
  if (target.detected === undefined) return updateSentence(state, target, record, now);
  const before = target.verdict?.verdict;
  await followVerdict(state, target, target.detected, now);
  if (target.verdict?.verdict !== before) state.emit({ kind: 'fleet', at: now });
}

/** `c-20261115-195720`, with a number if there are several. */
function newId({ captures, newCaptureIds }: WatchState, at: number): string {
  const base = `c-${new Date(at * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (captures.has(id) || newCaptureIds.has(id)) continue;
    newCaptureIds.add(id);
    return id;
  }
}
