/**
 * When the garbage collector ran, and what that makes of waits: a goroutine that blocks between two collections is seen by
 * the second and carries the time of the first. What blocked since the last collection carries none.
 */
import type { Dice } from '../../detect/simulate/dice.ts';

export interface Collections {
  /** The minutes a dump at the end prints for a wait since `minute`; 0 for none. */
  printed(minute: number): number;
}

/** How often a process collects: all the time under load, once a minute, or every two, when only the runtime asks. */
export type Pace = 'busy' | 'minutely' | 'idle';

export function collections(endMinutes: number, pace: Pace, dice: Dice): Collections {
  const times: number[] = [];
  const gap = { busy: dice.uniform(0.03, 0.5), minutely: dice.uniform(0.7, 1.6), idle: 2 }[pace];
  const spread = pace === 'idle' ? 0.01 : 0.15;
  // Long lives need no more than the collections that waits of a minute's resolution can tell apart.
  for (let at = dice.uniform(0, gap); at < endMinutes; at += gap * dice.around(spread)) times.push(at);
  return {
    printed(minute) {
      const after = firstAfter(times, minute);
      if (after === times.length) return 0;
      // The first collection has none before it; what it sees is stamped by the second.
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
