/** The ages of one family: their shape, and how certain it is that arrivals never leave. */
import { type Ages, type AgeShape, histogramOf, total } from './ages.ts';
import type { Waits } from '../../profile/families/family.ts';
import type { DumpClock } from './dump-clock.ts';
import { fallWithAge, type Fall } from './fall-with-age.ts';

/** Standard deviations that count as more than chance. */
const SURE = 2;

/** A fall up to this counts as none: a slightly rising load has the same effect. */
const NEARLY_FLAT = 0.1;

/** A rise beyond this means that arrivals become fewer, as in a pool that fills. */
const NEARLY_STEADY = -0.35;

/** Twice as many at one end as at the other: not steady, even if chance could explain it. */
const CLEAR_FALL: number = Math.LN2;

/** At most a fifth of the earlier arrivals: counts as none. */
const MAX_SLOWING = -1.6;

const MIN_LENGTH = 3;

const MIN_LUMP = 10;

/** A lump has this many times as many goroutines as its neighbours suggest. */
const STANDS_OUT = 3;

const NEIGHBOURS = 8;

const MAX_LUMPS = 20;

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
const MIN_COUNT = 10;
const MAX_IN_ONE_LUMP = 0.8;
/** In a much older process, goroutines younger than this come and go. */
const SHORT_MINUTES = 10;

/** `processMinutes` is the age of the process, if known from elsewhere than the dump. */
export function agesOf(waits: Waits, clock: DumpClock, processMinutes = 0): FamilyAges | undefined {
  if (waits.id.length < MIN_COUNT) return undefined;
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
  if (lumps.some(lump => lump.count >= count * MAX_IN_ONE_LUMP)) return 'one-age';
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

const COVERED_SHARE = 0.95;

/** The bin that nearly all are at or below. */
function lastBinWithMost(bins: readonly number[]): number {
  const wanted = total(bins) * COVERED_SHARE;
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

/**
 * Whether ids and ages agree. Ids grow with creation, so among goroutines in their first wait, higher ids are younger.
 * The age of a goroutine that wakes now and then is unrelated to its id.
 *
 * Spearman's correlation of ids with ages, sign reversed: 1 if they agree, 0 if they are unrelated. `counts` selects
 * the ages to compare: goroutines that arrived together have ids in any order.
 */
function idOrder(id: Float64Array, minutes: Int32Array, counts: (minutes: number) => boolean): number {
  let length = 0;
  const ids = new Float64Array(id.length);
  const ages = new Float64Array(id.length);
  for (let row = 0; row < id.length; row++) {
    if (!counts(minutes[row])) continue;
    ids[length] = id[row];
    ages[length++] = -minutes[row];
  }
  return correlation(ranks(ids.subarray(0, length)), ranks(ages.subarray(0, length)));
}

/** Equal values share the mean of their ranks. */
function ranks(values: Float64Array): Float64Array {
  const sorted = values.slice().sort();
  return values.map(value => {
    const first = firstAt(sorted, value);
    return (first + firstAt(sorted, value, 1) - 1) / 2;
  });
}

/** The first index in a sorted list with the value or, with `after` 1, a larger one. */
function firstAt(sorted: Float64Array, value: number, after: 0 | 1 = 0): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value || (after === 1 && sorted[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 0 if one of them does not vary. */
function correlation(a: Float64Array, b: Float64Array): number {
  const middle = (a.length - 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) ** 2;
    bb += (b[i] - middle) ** 2;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

/**
 * Lumps: goroutines that arrived together, such as the workers started with the process, or a burst of requests. They
 * are set aside so that the others can be judged:
 *
 *     seen     2 3 1 2 2 3 2 2 1 200
 *     lumps                      198, 9 minutes ago
 *     rest     2 3 1 2 2 3 2 2 1   2
 */
interface Lump {
  /** Its peak, and the bins that it spans. */
  readonly bin: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

interface Split {
  readonly lumps: readonly Lump[];
  readonly rest: readonly number[];
}

/** The youngest bins are never a lump, since young goroutines may be about to leave. */
function splitLumps(bins: readonly number[], collectionBins: number): Split {
  const width = 1 + Math.ceil(collectionBins);
  const rest = [...bins];
  const lumps: Lump[] = [];
  while (lumps.length < MAX_LUMPS) {
    const lump = largestLump(rest, width, collectionBins);
    if (lump === undefined) break;
    lumps.push({ bin: lump.peak, from: lump.from, to: lump.to, count: lump.count - lump.usual });
    for (let bin = lump.from; bin < lump.to; bin++) rest[bin] = lump.usual / (lump.to - lump.from);
  }
  return { lumps, rest };
}

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly peak: number;
  readonly count: number;
  /** The expected count of these bins, from their neighbours. */
  readonly usual: number;
}

function largestLump(bins: readonly number[], width: number, collectionBins: number): Candidate | undefined {
  let best: Candidate | undefined;
  const youngest = Math.min(width, bins.length - 1);
  for (let from = Math.max(1, youngest); from < bins.length; from++) {
    const to = Math.min(bins.length, from + width);
    const count = total(bins, from, to);
    if (count < MIN_LUMP || (best !== undefined && count <= best.count)) continue;
    const rate = neighbourRate(bins, from, to);
    if (count <= STANDS_OUT * rate * (to - from + collectionBins) + MIN_LUMP) continue;
    let peak = from;
    for (let bin = from; bin < to; bin++) if (bins[bin] > bins[peak]) peak = bin;
    best = { from, to, peak, count, usual: Math.min(count, rate * (to - from)) };
  }
  return best;
}

/** Arrivals per bin on both sides, without the busiest bin, which may be another lump. */
function neighbourRate(bins: readonly number[], from: number, to: number): number {
  const around = [...bins.slice(Math.max(0, from - NEIGHBOURS), from), ...bins.slice(to, to + NEIGHBOURS)];
  if (around.length === 0) return 0;
  const most = around.reduce((a, b) => Math.max(a, b));
  const kept = around.length > 2 ? around.length - 1 : around.length;
  return (total(around) - (around.length > 2 ? most : 0)) / kept;
}

/**
 * The floor: goroutines of a family that arrive at a steady rate and never leave. If most leave soon and some stay, the
 * counts are flat above the ages of those that leave:
 *
 *     900 400 90 22 10 9 11 10 8 12 10 9       minutes, 1 2 3 ...
 *                   |--- the floor ------|     10 a minute stay, whatever else comes and goes
 */
interface SteadyFloor extends Fall {
  /** The range of bins whose ages are judged. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Arrivals that stay. */
  readonly perBin: number;
  /** Arrivals become fewer. */
  readonly isSlowing: boolean;
}

/** Undefined if the counts fall with age up to the oldest, or if hardly any arrive now. */
function steadyFloor(bins: readonly number[], collectionBins: number): SteadyFloor | undefined {
  const to = endOf(bins);
  // Bin 0 has waits that no collection has seen yet: seconds or minutes.
  for (let from = 1; from <= Math.max(1, to / 2) && to - from >= MIN_LENGTH; from += Math.ceil(from / 3)) {
    const count = total(bins, from);
    if (count < MIN_COUNT) return undefined;
    const fall = fallWithAge(bins, from, to, collectionBins);
    if (isFalling(fall) || fall.fall > CLEAR_FALL) continue;
    if (fall.fall < MAX_SLOWING) return undefined;
    const isSlowing = slowsDown(fall) && slowsWithoutOldest(bins, from, collectionBins);
    return { ...fall, from, to, count, perBin: count / (to - from), isSlowing };
  }
  return undefined;
}

function slowsDown({ fall, error }: Fall): boolean {
  return fall < -CLEAR_FALL || fall + SURE * error < NEARLY_STEADY;
}

/** All that came before the first collection has its age: the oldest bin may hold many minutes of a quiet process. */
function slowsWithoutOldest(bins: readonly number[], from: number, collectionBins: number): boolean {
  const younger = bins.slice(
    0,
    bins.findLastIndex(count => count > 0),
  );
  const last = younger.findLastIndex(count => count > 0);
  if (last + 1 - from < MIN_LENGTH || total(younger, from) < MIN_COUNT) return true;
  const rest = younger.slice(0, last + 1);
  return slowsDown(fallWithAge(rest, from, endOf(rest), collectionBins));
}

/** Whether departures are visible. */
function isFalling({ fall, error }: Fall): boolean {
  return fall - SURE * error > NEARLY_FLAT;
}

/** The upper bound of `fall`; goroutines that leave faster are excluded. */
function mostFall({ fall, error }: Fall): number {
  return Math.max(0, fall) + SURE * error;
}

/** Where arrivals began: inside the last bin, according to how full it is compared with the others. */
function endOf(bins: readonly number[]): number {
  const last = bins.length - 1;
  const [from, before] = [Math.max(1, last - 5), total(bins, Math.max(1, last - 5), last)];
  if (last - from < 3 || before < 5 * (last - from)) return last + 0.5;
  return last + Math.min(1, Math.max(0.1, (bins[last] * (last - from)) / before));
}

/** Whether bins 0 to `recent` have as many arrivals as the floor predicts. */
function arrivesToTheEnd(bins: readonly number[], floor: SteadyFloor, collectionBins: number): boolean {
  const recent = recentBins(floor, collectionBins);
  const expected = floor.perBin * Math.max(0.5, recent + 1 - collectionBins / 2);
  const seen = total(bins, 0, recent + 1);
  return seen > 0 && seen >= expected / 2 - SURE * Math.sqrt(floor.dispersion * expected);
}

function recentBins({ to }: SteadyFloor, collectionBins: number): number {
  return Math.max(2, Math.ceil(2 * collectionBins), Math.floor(to / 6));
}

/** A margin for shifts by collections. */
const ROUNDING_MINUTES = 3;

/**
 * The same goroutines in two dumps of one process. Ids are never reused, so an id in both dumps is one goroutine.
 *
 *     first dump   4711 4716 4720 4733        last dump   4711 4716 4733 4802 4810
 *     stayed       4711 4716 4733             ended       4720
 */
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
