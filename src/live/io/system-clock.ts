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
