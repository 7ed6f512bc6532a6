import { setTimeout as delay } from 'node:timers/promises';
import type { WatchClock } from '../../ports/clock.ts';

export const SYSTEM_CLOCK: WatchClock = {
  now: () => Date.now() / 1000,
  sleep: (seconds, signal) => delay(seconds * 1000, undefined, { signal }).catch(() => {}),
};
