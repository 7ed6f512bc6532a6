/**
 * Whether a rise goes on, or is a step, a cache that fills, or something that went away.
 *
 *     leak       step        plateau      went away
 *        /        ____          ____        /\
 *       /        |             /           /  \__
 *      /     ____|           /            /
 *
 * Told by the rise over one day, early and late since it began: a leak adds as much late as early. Whole days, because
 * load comes and goes with them.
 */
import type { Explanation } from '../detection.ts';
import { type Hours, MAX_HOURS } from './hours.ts';

export interface Shape {
  /** Hour at which the rise began; the first hour's when it began before. */
  readonly onsetHour: number;
  readonly onsetSeen: boolean;
  readonly ageHours: number;
  /** Late over early rise over a day or more: 1 for a leak, less when it settles. NaN when it is too young to tell. */
  readonly steadiness: number;
  /** Standard error of the steadiness, from how far the hours scatter about the slope. */
  readonly steadinessError: number;
  /**
   * Over all lives of the process: what their second halves add over what their first halves add. Caches that fill
   * after every start add early. NaN when there was one life.
   */
  readonly lifeSteadiness: number;
  /** The late rise, and that of the last day, per hour. */
  readonly latePerHour: number;
  readonly lastDayPerHour: number;
  /** Share of the whole rise that one jump of a few hours makes. */
  readonly biggestJump: number;
}

const DAY = 24;
/** Hours to a point when the onset is looked for. */
const KNOT_HOURS = 4;
const JUMP_HOURS = 3;
/** The bend must explain this much better than a straight line. */
const BEND = 0.85;

/** The series with every epoch moved so that the slope runs through; NaN where nothing was seen. */
const joined = new Float64Array(MAX_HOURS);
const sortable = new Float64Array(MAX_HOURS);
const knotHours = new Float64Array(MAX_HOURS / KNOT_HOURS);
const knotValues = new Float64Array(MAX_HOURS / KNOT_HOURS);

export function shapeOf(residuals: Hours, slopePerHour: number): Shape {
  const { count, firstBin } = residuals;
  joinEpochs(residuals, slopePerHour);
  const onset = findOnset(count);
  const age = count - onset.index;
  // An older rise is compared over more days, which a leak in stairs needs.
  const lag = DAY * Math.max(1, Math.floor(age / (4 * DAY)));
  const part = Math.max(DAY / 3, (age - lag) / 3);
  const early = riseOver(lag, onset.index + lag, onset.index + lag + part);
  const late = riseOver(lag, count - part, count);
  return {
    onsetHour: firstBin + onset.index,
    onsetSeen: onset.seen,
    ageHours: age,
    steadiness: age < 2 * DAY ? NaN : early > 0 ? late / early : late > 0 ? 1 : 0,
    steadinessError: steadinessError(onset.index, count, slopePerHour, lag, part),
    lifeSteadiness: lifeSteadiness(residuals),
    latePerHour: late / lag,
    lastDayPerHour: riseOver(DAY, count - DAY / 3, count) / DAY,
    biggestJump: biggestJump(onset.index, count),
  };
}

/** What to call a rise that does not go on. */
export function nameOf(shape: Shape): Extract<Explanation, 'step' | 'plateau' | 'went away'> {
  if (shape.steadiness < -0.2 || shape.lastDayPerHour < 0) return 'went away';
  return shape.biggestJump > 0.6 ? 'step' : 'plateau';
}

function joinEpochs(residuals: Hours, slope: number): void {
  const { count, values, epoch } = residuals;
  let start = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && epoch[i] === epoch[start]) continue;
    let sum = 0;
    let n = 0;
    for (let j = start; j < i; j++) {
      if (Number.isNaN(values[j])) continue;
      sum += values[j] - slope * j;
      n++;
    }
    // The last epoch stays where it is only in shape: levels of epochs are not comparable.
    const mean = n === 0 ? 0 : sum / n;
    for (let j = start; j < i; j++) joined[j] = values[j] - mean;
    start = i;
  }
}

/** Median rise over `lag` hours that ends between the two entries; 0 when none does. */
function riseOver(lag: number, from: number, to: number): number {
  let n = 0;
  for (let i = Math.max(lag, Math.floor(from)); i < to; i++) {
    const rise = joined[i] - joined[i - lag];
    if (!Number.isNaN(rise)) sortable[n++] = rise;
  }
  if (n === 0) return 0;
  const sorted = sortable.subarray(0, n).sort();
  return n % 2 === 1 ? sorted[n >> 1] : (sorted[(n >> 1) - 1] + sorted[n >> 1]) / 2;
}

/** Lives shorter than this say nothing of their halves. */
const MIN_LIFE_HOURS = 6;
/** At either end and in the middle of a life, the median of at most so many hours. */
const LEVEL_HOURS = 6;

function lifeSteadiness({ count, epoch }: Hours): number {
  let lives = 0;
  let early = 0;
  let late = 0;
  let start = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && epoch[i] === epoch[start]) continue;
    let from = start;
    while (from < i && Number.isNaN(joined[from])) from++;
    if (i - from >= MIN_LIFE_HOURS) {
      const length = Math.min(LEVEL_HOURS, (i - from) >> 2);
      const middle = (from + i - length) >> 1;
      const [first, half, last] = [from, middle, i - length].map(at => medianFrom(at, length));
      if (!Number.isNaN(first + half + last)) {
        lives++;
        early += half - first;
        late += last - half;
      }
    }
    start = i;
  }
  if (lives < 2) return NaN;
  return early > 0 ? late / early : late > 0 ? 1 : 0;
}

function medianFrom(at: number, length: number): number {
  let n = 0;
  for (let i = at; i < at + length; i++) if (!Number.isNaN(joined[i])) sortable[n++] = joined[i];
  return n === 0 ? NaN : sortable.subarray(0, n).sort()[n >> 1];
}

/** Hours that are about as good as one, because the level wanders. */
const MEMORY_HOURS = 8;

function steadinessError(from: number, count: number, slope: number, lag: number, part: number): number {
  // Over a few hours, where the noise is all there and a bend of days is not.
  let n = 0;
  for (let i = from + MEMORY_HOURS; i < count; i++) {
    const change = Math.abs(joined[i] - joined[i - MEMORY_HOURS] - slope * MEMORY_HOURS);
    if (!Number.isNaN(change)) sortable[n++] = change;
  }
  if (n < 8 || slope <= 0) return Infinity;
  const scatter = (1.4826 * sortable.subarray(0, n).sort()[n >> 1]) / Math.SQRT2;
  const ofMedian = (1.25 * Math.SQRT2 * scatter) / Math.sqrt(Math.max(1, part / MEMORY_HOURS));
  return (Math.SQRT2 * ofMedian) / (slope * lag);
}

function biggestJump(from: number, count: number): number {
  let biggest = 0;
  let lowest = Infinity;
  let highest = -Infinity;
  for (let i = Math.max(JUMP_HOURS, from - DAY); i < count; i++) {
    const jump = joined[i] - joined[i - JUMP_HOURS];
    if (jump > biggest) biggest = jump;
    if (joined[i] < lowest) lowest = joined[i];
    if (joined[i] > highest) highest = joined[i];
  }
  return highest > lowest ? biggest / (highest - lowest) : 0;
}

/** The knot of the best flat-then-rising line. */
function findOnset(count: number): { index: number; seen: boolean } {
  let n = 0;
  let first = 0;
  while (first < count && Number.isNaN(joined[first])) first++;
  for (let start = first; start < count; start += KNOT_HOURS) {
    let sum = 0;
    let filled = 0;
    for (let i = start; i < Math.min(start + KNOT_HOURS, count); i++) {
      if (Number.isNaN(joined[i])) continue;
      sum += joined[i];
      filled++;
    }
    if (filled === 0) continue;
    knotHours[n] = start;
    knotValues[n++] = sum / filled;
  }
  let best = Infinity;
  let bestKnot = 0;
  let straight = Infinity;
  for (let knot = 0; knot < n - 3; knot++) {
    const error = hingeError(n, knotHours[knot]);
    if (knot === 0) straight = error;
    if (error < best) {
      best = error;
      bestKnot = knot;
    }
  }
  const seen = bestKnot > 1 && best < BEND * straight;
  return { index: seen ? knotHours[bestKnot] : first, seen };
}

function hingeError(n: number, knot: number): number {
  let sx = 0;
  let sy = 0;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let i = 0; i < n; i++) {
    const x = Math.max(0, knotHours[i] - knot);
    const y = knotValues[i];
    sx += x;
    sy += y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const cxx = xx - (sx * sx) / n;
  const cxy = xy - (sx * sy) / n;
  return yy - (sy * sy) / n - (cxy > 0 && cxx > 0 ? (cxy * cxy) / cxx : 0);
}
