/**
 * The floor: goroutines of a family that arrive at a steady rate and never leave. If most leave soon and some stay, the
 * counts are flat above the ages of those that leave:
 *
 *     900 400 90 22 10 9 11 10 8 12 10 9       minutes, 1 2 3 ...
 * |--- the floor ------|     10 a minute stay, whatever else comes and goes
 */
import { type Fall, fallWithAge } from './fall-with-age.ts';
import { total } from './histogram.ts';

export interface SteadyFloor extends Fall {
  /** The range of bins whose ages are judged. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Arrivals that stay. */
  readonly perBin: number;
  /** Arrivals become fewer. */
  readonly isSlowing: boolean;
}

/** Standard deviations that count as more than chance. */
const SURE = 2;
/** A fall up to this counts as none: a slightly rising load has the same effect. */
const NEARLY_FLAT = 0.1;
/** A rise beyond this means that arrivals become fewer, as in a pool that fills. */
const NEARLY_STEADY = -0.35;
/** Twice as many at one end as at the other: not steady, even if chance could explain it. */
export const CLEAR_FALL: number = Math.LN2;
/** At most a fifth of the earlier arrivals: counts as none. */
const MOST_SLOWING = -1.6;
const LEAST_COUNT = 10;
const LEAST_LENGTH = 3;

/** Undefined if the counts fall with age up to the oldest, or if hardly any arrive now. */
export function steadyFloor(bins: readonly number[], collectionBins: number): SteadyFloor | undefined {
  const to = endOf(bins);
  // Bin 0 has waits that no collection has seen yet: seconds or minutes.
  for (let from = 1; from <= Math.max(1, to / 2) && to - from >= LEAST_LENGTH; from += Math.ceil(from / 3)) {
    const count = total(bins, from);
    if (count < LEAST_COUNT) return undefined;
    const fall = fallWithAge(bins, from, to, collectionBins);
    if (isFalling(fall) || fall.fall > CLEAR_FALL) continue;
    if (fall.fall < MOST_SLOWING) return undefined;
    const isSlowing = fall.fall < -CLEAR_FALL || fall.fall + SURE * fall.error < NEARLY_STEADY;
    return { ...fall, from, to, count, perBin: count / (to - from), isSlowing };
  }
  return undefined;
}

/** Whether departures are visible. */
export function isFalling({ fall, error }: Fall): boolean {
  return fall - SURE * error > NEARLY_FLAT;
}

/** The upper bound of `fall`; goroutines that leave faster are excluded. */
export function mostFall({ fall, error }: Fall): number {
  return Math.max(0, fall) + SURE * error;
}

/** Where arrivals began: inside the last bin, according to how full it is compared with the others. */
export function endOf(bins: readonly number[]): number {
  const last = bins.length - 1;
  const [from, before] = [Math.max(1, last - 5), total(bins, Math.max(1, last - 5), last)];
  if (last - from < 3 || before < 5 * (last - from)) return last + 0.5;
  return last + Math.min(1, Math.max(0.1, (bins[last] * (last - from)) / before));
}

/** Whether bins 0 to `recent` have as many arrivals as the floor predicts. */
export function arrivesToTheEnd(bins: readonly number[], floor: SteadyFloor, collectionBins: number): boolean {
  const recent = recentBins(floor, collectionBins);
  const expected = floor.perBin * Math.max(0.5, recent + 1 - collectionBins / 2);
  const seen = total(bins, 0, recent + 1);
  return seen > 0 && seen >= expected / 2 - SURE * Math.sqrt(floor.dispersion * expected);
}

function recentBins({ to }: SteadyFloor, collectionBins: number): number {
  return Math.max(2, Math.ceil(2 * collectionBins), Math.floor(to / 6));
}
