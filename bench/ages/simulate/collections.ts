/**
 * When the garbage collector ran, and the effect on waits: a goroutine that blocks between two collections is first
 * seen by the second, and gets the time of the first. One that blocked since the last collection has no time yet.
 */
import type { Dice } from '../../detect/simulate/dice.ts';

export interface Collections {
  /** The minutes a dump at the end prints for a wait since `minute`; 0 for none. */
  printed(minute: number): number;
}

/**
 * How often a process collects: all the time under load, once a minute, or every two minutes, when only the runtime
 * forces it.
 */
export type Pace = 'busy' | 'minutely' | 'idle';

export function collections(endMinutes: number, pace: Pace, dice: Dice): Collections {
  const times: number[] = [];
  const gap = { busy: dice.uniform(0.03, 0.5), minutely: dice.uniform(0.7, 1.6), idle: 2 }[pace];
  const spread = pace === 'idle' ? 0.01 : 0.15;
  // For long lives, only as many collections as a resolution of one minute can distinguish.
  for (let at = dice.uniform(0, gap); at < endMinutes; at += gap * dice.around(spread)) times.push(at);
  return {
    printed(minute) {
      const after = firstAfter(times, minute);
      if (after === times.length) return 0;
      // The first collection has none before it; waits it sees are stamped by the second.
      const stamp = after === 0 ? (times.length > 1 ? times[0] : endMinutes) : times[after - 1];
      return Math.floor(endMinutes - stamp);
    },
  };
}

function firstAfter(times: readonly number[], minute: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] < minute) low = middle + 1;
    else high = middle;
  }
  return low;
}
