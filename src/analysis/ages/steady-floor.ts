/**
 * Those of a family that arrive at a steady rate and never leave. Where most leave soon and some stay, the ages above those
 * of the ones that leave are flat:
 *
 *     900 400 90 22 10 9 11 10 8 12 10 9       minutes, 1 2 3 ...
 *                   |--- the floor ------|     10 a minute stay, whatever came and went beside them
 */
import { type Fall, fallWithAge } from './fall-with-age.ts';
import { total } from './histogram.ts';

export interface SteadyFloor extends Fall {
  /** In bins: ages from here to there are judged. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Arrivals that stay. */
  readonly perBin: number;
  /** They become fewer. */
  readonly isSlowing: boolean;
}

/** Deviations that count as more than chance. */
const SURE = 2;
/** A fall up to this much is as good as none: load that rises a little does as much. */
const NEARLY_FLAT = 0.1;
/** A rise beyond this is arrivals that become fewer, as in a pool that fills. */
const NEARLY_STEADY = -0.35;
/** Half as many at the old end as at the young, or the other way round: not steady, even where chance could do it. */
export const CLEAR_FALL: number = Math.LN2;
/** At most a fifth of the arrivals of then: as good as none. */
const MOST_SLOWING = -1.6;
const LEAST_COUNT = 10;
const LEAST_LENGTH = 3;

/** Undefined where the counts fall with age down to the oldest, or hardly any arrive now. */
export function steadyFloor(bins: readonly number[], collectionBins: number): SteadyFloor | undefined {
  const to = endOf(bins);
  // Bin 0 has what no collection has seen yet: seconds or minutes.
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

/** Departures show. */
export function isFalling({ fall, error }: Fall): boolean {
  return fall - SURE * error > NEARLY_FLAT;
}

/** The most that `fall` may be; what leaves faster is excluded. */
export function mostFall({ fall, error }: Fall): number {
  return Math.max(0, fall) + SURE * error;
}

/** Where arrivals began: inside the last bin, by how full it is beside the others. */
export function endOf(bins: readonly number[]): number {
  const last = bins.length - 1;
  const [from, before] = [Math.max(1, last - 5), total(bins, Math.max(1, last - 5), last)];
  if (last - from < 3 || before < 5 * (last - from)) return last + 0.5;
  return last + Math.min(1, Math.max(0.1, (bins[last] * (last - from)) / before));
}

/** As many lately as the floor lets expect, in bins 0 to `recent`. */
export function arrivesToTheEnd(bins: readonly number[], floor: SteadyFloor, collectionBins: number): boolean {
  const recent = recentBins(floor, collectionBins);
  const expected = floor.perBin * Math.max(0.5, recent + 1 - collectionBins / 2);
  const seen = total(bins, 0, recent + 1);
  return seen > 0 && seen >= expected / 2 - SURE * Math.sqrt(floor.dispersion * expected);
}

function recentBins({ to }: SteadyFloor, collectionBins: number): number {
  return Math.max(2, Math.ceil(2 * collectionBins), Math.floor(to / 6));
}
