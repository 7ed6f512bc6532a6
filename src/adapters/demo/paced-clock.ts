/** The clock of a recording that is played faster than it was. */
import { setTimeout as delay } from 'node:timers/promises';

export interface PacedClock {
  now(): number;
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
}

/** Begins to run when it is made, and stands still at the end. */
export function pacedClock(fromSeconds: number, toSeconds: number, pace: number): PacedClock {
  const began = performance.now();
  return {
    now: () => Math.min(toSeconds, fromSeconds + ((performance.now() - began) / 1000) * pace),
    sleep: (seconds, signal) => delay((seconds / pace) * 1000, undefined, { signal }).catch(() => {}),
  };
}
