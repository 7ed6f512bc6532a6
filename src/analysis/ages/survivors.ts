/**
 * The same goroutines in two dumps of one process: ids are never used twice, so an id that is in both is one goroutine.
 *
 *     first dump   4711 4716 4720 4733        last dump   4711 4716 4733 4802 4810
 *     stayed       4711 4716 4733             ended       4720
 */
import type { Waits } from '../../model/family.ts';

export interface Survivors {
  /** In the first dump, at least `fromMinutes` into their wait. */
  readonly first: number;
  /** Still in the same wait. */
  readonly stayed: number;
  /** Still there, in a later wait: they woke. */
  readonly woke: number;
}

/** What a collection may have shifted. */
const ROUNDING_MINUTES = 3;

/** `apartMinutes` is the time between the dumps, 0 where it is not known. */
export function survivors(first: Waits, last: Waits, fromMinutes: number, apartMinutes: number): Survivors {
  const minutesOf = new Map<number, number>();
  for (let row = 0; row < last.id.length; row++) minutesOf.set(last.id[row], last.minutes[row]);
  const found = { first: 0, stayed: 0, woke: 0 };
  for (let row = 0; row < first.id.length; row++) {
    if (first.minutes[row] < fromMinutes) continue;
    found.first++;
    const now = minutesOf.get(first.id[row]);
    if (now === undefined) continue;
    if (now + ROUNDING_MINUTES >= first.minutes[row] + apartMinutes) found.stayed++;
    else found.woke++;
  }
  return found;
}
