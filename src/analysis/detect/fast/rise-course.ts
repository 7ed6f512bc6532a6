/**
 * How a level went from one end of a rise to the other: what a line through it does not show.
 *
 *     fall   the deepest it came down from its highest level so far       sessions that end, requests that were served
 *     lump   the most it gained within a twelfth of the time              one event, not many
 *     pause  the longest time without a new highest level                 a rise with a flat head, foot or landing
 *
 * Each is a share of the rise, or of its time. What leaks in batches has lumps and pauses, but never falls.
 */
import type { StraightRise } from './straight-rise.ts';

export interface RiseCourse {
  /** Bins from where it left its first level to its highest one. */
  readonly bins: number;
  readonly fall: number;
  readonly lump: number;
  readonly pause: number;
  /** The pause that goes on now. */
  readonly lastPause: number;
}

/** Higher by less than this share of the rise is no new highest level. */
const NEW_HIGH = 0.01;
/** It has left its first level when it is above it by this share of the rise. */
const LEFT = 0.1;
const LUMP_PARTS = 12;

/** The course of `rise`, which was found in the same values. */
export function riseCourse(values: Float64Array, rise: StraightRise): RiseCourse {
  const end = values.length;
  const begin = end - rise.bins;
  const gain = rise.to - rise.from;
  let highest = -Infinity;
  let highestAt = begin;
  let peak = -Infinity;
  let fall = 0;
  let pause = 0;
  let lowAt = begin;
  // The median of three points, so that a single one counts for nothing.
  let last = NaN;
  let beforeLast = NaN;
  for (let i = begin; i < end; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    const level = Number.isNaN(beforeLast) ? value : medianOfThree(beforeLast, last, value);
    beforeLast = last;
    last = value;
    if (level > peak) peak = level;
    else fall = Math.max(fall, peak - level);
    if (level > highest + NEW_HIGH * gain) {
      if (highest > -Infinity) pause = Math.max(pause, i - highestAt);
      highest = level;
      highestAt = i;
    }
    if (level <= rise.from + LEFT * gain) lowAt = i;
  }
  const lastPause = end - 1 - highestAt;
  return {
    bins: (highestAt + 1 - lowAt) / (1 - LEFT),
    fall: fall / gain,
    lump: largestLump(values, begin, Math.max(1, Math.round(rise.bins / LUMP_PARTS))) / gain,
    pause: Math.max(pause, lastPause) / rise.bins,
    lastPause: lastPause / rise.bins,
  };
}

function largestLump(values: Float64Array, begin: number, bins: number): number {
  let largest = 0;
  for (let i = begin + bins; i < values.length; i++) {
    const gained = values[i] - values[i - bins];
    if (gained > largest) largest = gained;
  }
  return largest;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
