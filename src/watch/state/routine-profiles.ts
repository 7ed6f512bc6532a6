/**
 * Heap profiles that are taken while nothing happens, so that what a process keeps is known when something does:
 *
 *     every 6 h of each target, at most 1 % of the targets within a minute, a day of them kept
 */
import { type CapturePolicy, isBusy } from './capture-policy.ts';

export interface RoutineState {
  readonly now: number;
  readonly lifeSeconds: number | undefined;
  readonly cpuCores: number | undefined;
  /** When the last heap profile was taken or tried, for whatever reason. */
  readonly lastHeapAt: number | undefined;
}

export function isRoutineDue(state: RoutineState, policy: CapturePolicy): boolean {
  const { now, lifeSeconds, lastHeapAt } = state;
  if (!Number.isFinite(policy.routineSeconds)) return false;
  if ((lifeSeconds ?? Infinity) < policy.warmUpSeconds || isBusy(state, policy)) return false;
  return lastHeapAt === undefined || now - lastHeapAt >= policy.routineSeconds;
}

/** The routine profiles of the last minute. */
export class RoutineBudget {
  #times: readonly number[] = [];
  readonly #policy: CapturePolicy;

  constructor(policy: CapturePolicy) {
    this.#policy = policy;
  }

  spend(now: number, targetCount: number): boolean {
    this.#times = this.#times.filter(time => time > now - 60 && time <= now);
    if (this.#times.length >= Math.max(1, Math.floor(targetCount * this.#policy.routineSharePerMinute))) return false;
    this.#times = [...this.#times, now];
    return true;
  }
}
