/**
 * How fast a family thins out with age. If each goroutine leaves with the same probability per minute, ages between
 * `from` and `to` have a density that falls exponentially:
 *
 *     density ~ exp(-fall * u),  u = (age - from) / (to - from)
 *
 * `fall` is 0 if none ever leave, and 1 if goroutines of age `to` are e times rarer than those of age `from`. It is
 * below 0 if arrivals become fewer.
 */

import { total } from './ages.ts';

export interface Fall {
  readonly fall: number;
  /**
   * Standard error of `fall`: from chance, arrivals in batches, and shifts by collections at the ends of the window.
   */
  readonly error: number;
  /** How much more the counts scatter than independent arrivals would, at least 1. */
  readonly dispersion: number;
}

/** Collections round ages at both ends of the window: the standard deviation of a uniform distribution for each. */
const ROUNDING = 1 / Math.sqrt(12);
/** How much a shift of both ends changes `fall`, by the length of the window. */
const END_SHIFT = 6 * Math.SQRT2;
const MAX_GROUPS = 12;
const MIN_GROUPS = 3;
/** A prior: this many more groups that scatter like independent arrivals. */
const GROUPS_OF_PRIOR = 2;

/** `bins` from index `from`, up to `to`, which may end inside a bin. */
export function fallWithAge(bins: readonly number[], from: number, to: number, collectionBins: number): Fall {
  const start = startOf(bins, from, collectionBins);
  const length = to - start;
  const count = total(bins, from);
  let sum = 0;
  for (let bin = from; bin < bins.length; bin++) {
    sum += (bins[bin] * Math.max(0, Math.min(bin + 1 - collectionBins / 2 - start, length))) / length;
  }
  const fall = fallOfMean(sum / count);
  const dispersion = dispersionOf(bins, from, to, fall, collectionBins);
  const chance = dispersion / (count * varianceAt(fall));
  const rounding = (END_SHIFT * ROUNDING * collectionBins) / length;
  return { fall, error: Math.sqrt(chance + rounding * rounding), dispersion };
}

/**
 * Where the window begins. Goroutines that blocked between two collections all get the same age, the highest of them:
 * with collections two minutes apart, those at age 4 arrived 2 to 4 minutes ago.
 */
function startOf(bins: readonly number[], from: number, collectionBins: number): number {
  if (collectionBins <= 1) return from;
  let first = from;
  while (first < from + collectionBins && !(bins[first] > 0)) first++;
  return first + 1 - collectionBins;
}

/** The mean of u for a given fall; point-symmetric around (0, 1/2). */
function meanAt(fall: number): number {
  if (Math.abs(fall) < 1e-3) return 0.5 - fall / 12;
  return 1 / fall - 1 / Math.expm1(fall);
}

function varianceAt(fall: number): number {
  if (Math.abs(fall) < 1e-2) return 1 / 12;
  const half = fall / 2;
  return Math.max(1e-3, 1 / (fall * fall) - 1 / (4 * Math.sinh(half) ** 2));
}

const STEEPEST = 60;

function fallOfMean(mean: number): number {
  let [low, high] = [-STEEPEST, STEEPEST];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (meanAt(middle) > mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Compares the counts of groups of bins with the fitted fall. Shifts by collections from one group into the next are
 * not scatter of arrivals, so they are subtracted.
 */
function dispersionOf(bins: readonly number[], from: number, to: number, fall: number, collectionBins: number): number {
  const length = to - from;
  const groups = Math.max(MIN_GROUPS, Math.min(MAX_GROUPS, Math.floor(length / (2 * collectionBins + 1))));
  const width = length / groups;
  const seen = new Array<number>(groups).fill(0);
  for (let bin = from; bin < bins.length; bin++) {
    seen[Math.min(groups - 1, Math.floor((bin + 0.5 - from) / width))] += bins[bin];
  }
  const count = total(bins, from);
  const below = (u: number): number => (Math.abs(fall) < 1e-6 ? u : Math.expm1(-fall * u) / Math.expm1(-fall));
  let scatter = 0;
  seen.forEach((one, group) => {
    // A bin is never split between groups.
    const [start, end] = [Math.ceil(group * width - 0.5), Math.ceil((group + 1) * width - 0.5)];
    const expected = count * (below(Math.min(1, end / length)) - below(start / length));
    const shifted = 2 * ((count * collectionBins) / length) ** 2 * ROUNDING ** 2;
    scatter += Math.max(0, (one - expected) ** 2 - shifted) / Math.max(expected, 0.5);
  });
  return Math.max(1, (scatter + GROUPS_OF_PRIOR) / (groups - 2 + GROUPS_OF_PRIOR));
}
