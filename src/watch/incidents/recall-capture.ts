/** A capture that was taken before, or by another replica, as the triggers of its target know their own. */
import { isSameLife } from '../../evidence/process-life.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { PAST_TRIGGER, ROUTINE_KEPT, type StoredCapture } from '../../store/records.ts';

/** A capture of an earlier run, or of another replica. */
export function recallCapture(
  state: Pick<WatchState, 'captures' | 'targets'>,
  capture: StoredCapture,
  found: WatchedTarget | undefined = state.targets.get(capture.target),
): void {
  if (state.captures.has(capture.id)) return;
  state.captures.set(capture.id, capture);
  if (found !== undefined) recallCaptureOf(state, capture, found);
}

/** One that is known becomes one of the target's, if it is of this life. */
export function recallCaptureOf(
  state: Pick<WatchState, 'captures'>,
  capture: StoredCapture,
  found: WatchedTarget,
): void {
  if (!isSameLife(capture.processStartSeconds, found.startSeconds)) return;
  const { at, trigger } = capture;
  if (trigger === PAST_TRIGGER) return;
  if (trigger === 'routine') {
    found.routineAt = at;
    const ids = [...found.routineIds, capture.id];
    // The store drops the same ones.
    for (const old of ids.slice(0, -ROUTINE_KEPT)) state.captures.delete(old);
    found.routineIds = ids.slice(-ROUTINE_KEPT);
    return;
  }
  const unknown = { goroutines: undefined, liveHeapBytes: undefined, memoryBytes: undefined };
  found.captures.push({ at, trigger: trigger as WatchedTarget['captures'][number]['trigger'], ...unknown });
}
