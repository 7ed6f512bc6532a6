/**
 * How a level went from one end of a rise to the other: what a line through it does not show.
 *
 *     fall   the deepest it came down from its highest level so far, as a share of the rise
 *            sessions that end, requests that were served; what leaks never falls
 */
import type { StraightRise } from './straight-rise.ts';

export interface RiseCourse {
  /** Bins from where it left its first level to its highest one. */
  readonly bins: number;
  readonly fall: number;
}

/** Higher by less than this share of the rise is no new highest level. */
const NEW_HIGH = 0.01;
/** It has left its first level when it is above it by this share of the rise. */
const LEFT = 0.1;

/** The course of `rise`, which was found in the same values. */
export function riseCourse(values: Float64Array, rise: StraightRise): RiseCourse {
  const end = values.length;
  const begin = end - rise.bins;
  const gain = rise.to - rise.from;
  let highest = -Infinity;
  let highestAt = begin;
  let peak = -Infinity;
  let fall = 0;
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
      highest = level;
      highestAt = i;
    }
    if (level <= rise.from + LEFT * gain) lowAt = i;
  }
  return { bins: (highestAt + 1 - lowAt) / (1 - LEFT), fall: fall / gain };
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
