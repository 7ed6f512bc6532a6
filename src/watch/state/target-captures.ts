/** What was captured of the present life of a target, as far as the triggers of captures need to know. */
import type { ResourceLedger } from '../../judge/analysis.ts';
import { PAST_TRIGGER, ROUTINE_KEPT, type StoredCapture } from '../../store/records.ts';
import type { LastCapture } from './capture-policy.ts';

const MAX_REMEMBERED = 50;

export class TargetCaptures {
  /** Other than routine ones, newest last. */
  taken: readonly LastCapture[] = [];
  isBeingTaken = false;
  /** What the captures show. */
  ledgers: readonly ResourceLedger[] = [];
  /** When to ask the continuous profiler about this life at the earliest, and whether a failure was logged. */
  profilerDueAt: number | undefined;
  isProfilerFailureLogged = false;
  /** When the last routine heap profile was taken or tried. */
  #routineAt: number | undefined;
  /** The routine profiles that the store keeps, also of earlier lives; newest last. */
  #routineIds: readonly string[] = [];

  get lastHeapAt(): number | undefined {
    const times = [this.taken.at(-1)?.at, this.#routineAt].filter(at => at !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** One was taken, or was tried. */
  add(capture: LastCapture): void {
    if (capture.trigger === 'routine') this.#routineAt = capture.at;
    else this.taken = [...this.taken, capture].slice(-MAX_REMEMBERED);
  }

  /** Returns the ids of those that the store drops now. */
  addRoutine(id: string): readonly string[] {
    const ids = [...this.#routineIds, id];
    this.#routineIds = ids.slice(-ROUTINE_KEPT);
    return ids.slice(0, -ROUTINE_KEPT);
  }

  /** One of this life that an earlier run or another replica took. Returns the ids of those that the store drops. */
  recall({ id, at, trigger }: StoredCapture): readonly string[] {
    if (trigger === PAST_TRIGGER) return [];
    const unknown = { goroutines: undefined, liveHeapBytes: undefined, memoryBytes: undefined };
    this.add({ at, trigger: trigger as LastCapture['trigger'], ...unknown });
    return trigger === 'routine' ? this.addRoutine(id) : [];
  }

  /** Before all of them are recalled. */
  clear(): void {
    this.taken = [];
    this.#routineAt = undefined;
    this.#routineIds = [];
  }

  /** The process was restarted. */
  beginLife(): void {
    this.taken = [];
    this.ledgers = [];
    this.#routineAt = undefined;
    this.profilerDueAt = undefined;
    this.isProfilerFailureLogged = false;
  }
}
