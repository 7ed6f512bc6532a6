/** The ages of one family: their shape, and how certain it is that arrivals never leave. */
import type { Ages, AgeShape } from './ages.ts';
import type { Waits } from '../../profile/families/family.ts';
import type { DumpClock } from './dump-clock.ts';
import { fallWithAge } from './fall-with-age.ts';
import { histogramOf, total } from './histogram.ts';
import { idOrder } from './id-order.ts';
import { type Lump, splitLumps } from './lumps.ts';
import {
  arrivesToTheEnd,
  endOf,
  isFalling,
  CLEAR_FALL,
  mostFall,
  steadyFloor,
  type SteadyFloor,
} from './steady-floor.ts';

/** For goroutines that arrive at a steady rate and stay. */
export interface Stayers {
  readonly count: number;
  /** Younger goroutines may still leave, so they are not counted. */
  readonly fromMinutes: number;
  /** Other goroutines of the family leave. */
  readonly isPart: boolean;
  readonly sinceMinutes: number;
  /** They have arrived since the process started, as far as the dump shows. */
  readonly isSinceStart: boolean;
  /** At most this share of the earliest arrivals has left (97.5 %). */
  readonly mostLeft: number;
  /** 1 if higher ids are always younger, so that each goroutine is in its first wait. */
  readonly idOrder: number;
}

export interface FamilyAges {
  readonly ages: Ages;
  /** Only if they are still arriving, at a steady or falling rate. */
  readonly stayers: Stayers | undefined;
  readonly isCut: boolean;
}

/** A family with fewer goroutines has no shape. */
const LEAST_COUNT = 10;
const MOST_IN_ONE_LUMP = 0.8;
/** In a much older process, goroutines younger than this come and go. */
const SHORT_MINUTES = 10;

/** `processMinutes` is the age of the process, if known from elsewhere than the dump. */
export function agesOf(waits: Waits, clock: DumpClock, processMinutes = 0): FamilyAges | undefined {
  if (waits.id.length < LEAST_COUNT) return undefined;
  const histogram = histogramOf(waits.minutes);
  const { bins, binMinutes } = histogram;
  const collectionBins = Math.max(1, clock.collectionMinutes / binMinutes);
  const age = Math.max(clock.oldestMinutes, processMinutes) / binMinutes;
  const { lumps, rest } = splitLumps(bins, collectionBins);
  const floor = steadyFloor(rest, collectionBins);
  if (floor !== undefined && arrivesToTheEnd(bins, floor, collectionBins)) {
    const isSinceStart = age - floor.to <= 1 + collectionBins + EXPECTED_GAP / floor.perBin;
    const sinceMinutes = floor.to * binMinutes;
    if (isSinceStart || sinceMinutes >= SHORT_MINUTES) {
      const perHour = perHourOf(rest, floor, collectionBins, binMinutes);
      const stayers = {
        count: Math.round(total(rest, floor.from)),
        fromMinutes: floor.from * binMinutes,
        isPart: floor.from > 1,
        sinceMinutes,
        isSinceStart,
        mostLeft: 1 - Math.exp(-mostFall(floor)),
        idOrder: idOrder(waits.id, waits.minutes, minutes => {
          const bin = Math.floor(minutes / binMinutes);
          return bin >= floor.from && !lumps.some(lump => lump.from <= bin && bin < lump.to);
        }),
      };
      const shape = floor.isSlowing ? 'slowing' : 'steady';
      return { ages: { ...histogram, shape, perHour, sinceMinutes }, stayers, isCut: waits.isCut };
    }
  }
  const shape = shapeOf(bins, rest, lumps, age, collectionBins, binMinutes);
  if (shape === undefined) return undefined;
  const since = sinceBin(shape, bins, lumps);
  const sinceMinutes = since === undefined ? undefined : since * binMinutes;
  return { ages: { ...histogram, shape, perHour: undefined, sinceMinutes }, stayers: undefined, isCut: waits.isCut };
}

/** Steady arrivals leave a gap of this many mean distances once in a hundred times. */
const EXPECTED_GAP = 4.6;

/** The shape of arrivals that are not steady; undefined if the process is too young to tell. */
function shapeOf(
  bins: readonly number[],
  rest: readonly number[],
  lumps: readonly Lump[],
  age: number,
  collectionBins: number,
  binMinutes: number,
): AgeShape | undefined {
  const count = total(bins);
  const end = endOf(bins);
  if (lumps.some(lump => lump.count >= count * MOST_IN_ONE_LUMP)) return 'one-age';
  const isYoung = bins.length <= 2 + 2 * collectionBins || lastBinWithMost(bins) <= 1 + collectionBins;
  if (isYoung) return age > bins.length + 2 * collectionBins ? 'short' : undefined;
  const youngest = bins.findIndex(one => one > 0);
  if ((youngest - collectionBins) * (count / (end - youngest)) > EXPECTED_GAP) return 'stopped';
  if (end < 4) return undefined;
  const fall = fallWithAge(rest, 1, end, collectionBins);
  if (isFalling(fall) || fall.fall > CLEAR_FALL) return 'decaying';
  if (end * binMinutes < SHORT_MINUTES && age > 1.5 * end) return 'short';
  return fall.fall < -CLEAR_FALL ? 'slowing' : 'irregular';
}

const MOST = 0.95;

/** The bin that nearly all are at or below. */
function lastBinWithMost(bins: readonly number[]): number {
  const wanted = total(bins) * MOST;
  let sum = 0;
  return bins.findIndex(one => (sum += one) >= wanted);
}

function sinceBin(shape: AgeShape, bins: readonly number[], lumps: readonly Lump[]): number | undefined {
  if (shape === 'one-age') return lumps.reduce((a, b) => (b.count > a.count ? b : a)).bin;
  return shape === 'stopped' || shape === 'slowing' ? bins.length - 1 : undefined;
}

/** 95 % interval. */
const DEVIATIONS = 1.96;
const ROUNDING = 1 / Math.sqrt(12);

/** Over all ages, unless there are more young ones than the floor explains: then some of them leave. */
function perHourOf(
  rest: readonly number[],
  floor: SteadyFloor,
  collectionBins: number,
  binMinutes: number,
): [number, number, number] {
  const expected = floor.perBin * (floor.from + collectionBins);
  const young = total(rest, 0, floor.from);
  const isFlat = young <= expected + 2 * Math.sqrt(floor.dispersion * expected);
  // A few of those that leave are left just above their ages.
  const from = isFlat ? 0 : Math.ceil(floor.from + (floor.to - floor.from) / 3);
  const count = total(rest, from);
  const perHour = ((count / (floor.to - from)) * 60) / binMinutes;
  const rounding = (Math.SQRT2 * ROUNDING * collectionBins) / (floor.to - from);
  const error = Math.sqrt(floor.dispersion / count + rounding * rounding);
  return [perHour * Math.exp(-DEVIATIONS * error), perHour, perHour * Math.exp(DEVIATIONS * error)];
}
