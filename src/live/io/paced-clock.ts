/** The clock of a recording that is played faster than it was made. */
import { setTimeout as delay } from 'node:timers/promises';
import type { WatchClock } from '../../base/clock.ts';

/** Starts running when it is made, and stands still at the end. */
export function pacedClock(fromSeconds: number, toSeconds: number, pace: number): WatchClock {
  const began = performance.now();
  return {
    now: () => Math.min(toSeconds, fromSeconds + ((performance.now() - began) / 1000) * pace),
    sleep: (seconds, signal) => delay((seconds / pace) * 1000, undefined, { signal }).catch(() => {}),
  };
}
