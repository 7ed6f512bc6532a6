/** Clocks: the real one, and that of a recording that is played faster than it was made. */
import { setTimeout as delay } from 'node:timers/promises';
import type { WatchClock } from '../../base/clock.ts';

export const SYSTEM_CLOCK: WatchClock = {
  now: () => Date.now() / 1000,
  // A sampler under load is woken some hundred times a second: rejecting with an error each time would cost a tenth of it.
  sleep: (seconds, signal) =>
    new Promise(resolve => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, seconds * 1000);
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake);
    }),
};

/** Starts running when it is made, and stands still at the end. */
export function pacedClock(fromSeconds: number, toSeconds: number, pace: number): WatchClock {
  const began = performance.now();
  return {
    now: () => Math.min(toSeconds, fromSeconds + ((performance.now() - began) / 1000) * pace),
    sleep: (seconds, signal) => delay((seconds / pace) * 1000, undefined, { signal }).catch(() => {}),
  };
}
