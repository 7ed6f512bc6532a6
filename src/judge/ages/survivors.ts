/**
 * The same goroutines in two dumps of one process. Ids are never reused, so an id in both dumps is one goroutine.
 *
 *     first dump   4711 4716 4720 4733        last dump   4711 4716 4733 4802 4810
 *     stayed       4711 4716 4733             ended       4720
 */
import type { Waits } from '../../profile/families/family.ts';

export interface Survivors {
  /** In the first dump, waiting for at least `fromMinutes`. */
  readonly first: number;
  /** Still in the same wait. */
  readonly stayed: number;
  /** Still there, but in a later wait: they woke. */
  readonly woke: number;
  /** Ended between the dumps. */
  readonly apartMinutes: number;
}

/** A margin for shifts by collections. */
const ROUNDING_MINUTES = 3;

/** `apartMinutes` is the time between the dumps; undefined if only the waits show it. */
export function survivors(first: Waits, last: Waits, fromMinutes: number, apartMinutes: number | undefined): Survivors {
  const minutesOf = new Map<number, number>();
  for (let row = 0; row < last.id.length; row++) minutesOf.set(last.id[row], last.minutes[row]);
  const before = Array.from(first.id.keys()).filter(row => first.minutes[row] >= fromMinutes);
  const longer = before.flatMap(row => {
    const now = minutesOf.get(first.id[row]);
    return now === undefined ? [] : [now - first.minutes[row]];
  });
  const apart = apartMinutes ?? Math.max(0, median(longer));
  const stayed = longer.filter(minutes => minutes + ROUNDING_MINUTES >= apart).length;
  return { first: before.length, stayed, woke: longer.length - stayed, apartMinutes: apart };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
