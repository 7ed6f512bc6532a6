/**
 * Whether a rise goes on, or is a step, a cache that fills, or something that went away.
 *
 *     leak       step        plateau      went away
 *        /        ____          ____        /\
 *       /        |             /           /  \__
 *      /     ____|           /            /
 */
import type { Explanation } from '../../model/detection.ts';
import { MOST_HOURS } from './hours.ts';
import type { WindowPoints } from './window.ts';

export interface Shape {
  /** undefined: it goes on. */
  readonly kind: Extract<Explanation, 'step' | 'plateau' | 'went away'> | undefined;
  /** Hour at which the rise began; the first point's when it began before. */
  readonly onsetHour: number;
  readonly onsetSeen: boolean;
  /** Median of the last sixth and of the first, epochs joined. */
  readonly rise: number;
  /** Share of the rise made in the biggest single jump between points. */
  readonly biggestJump: number;
}

/** The series with every epoch moved so that the slope runs through. */
const joined = new Float64Array(MOST_HOURS);
const sortable = new Float64Array(MOST_HOURS);

export function shapeOf(window: WindowPoints, slope: number): Shape {
  const { count, hours } = window;
  joinEpochs(window, slope);
  const first = hours[0];
  const span = hours[count - 1] - first;
  const m1 = medianBetween(hours, first, first + span / 3, count);
  const m2 = medianBetween(hours, first + span / 3, first + (2 * span) / 3, count);
  const m3 = medianBetween(hours, first + (2 * span) / 3, first + span + 1, count);
  const expected = (slope * span) / 3;
  const d1 = m2 - m1;
  const d2 = m3 - m2;
  const lastSlope = slopeBetween(hours, first + (2 * span) / 3, count);
  const onset = findOnset(hours, count);
  const rise =
    medianBetween(hours, first + (5 * span) / 6, first + span + 1, count) -
    medianBetween(hours, first, first + span / 6, count);
  const jump = biggestJump(count) / Math.max(rise, 1e-300);
  let kind: Shape['kind'];
  if (d2 < 0.15 * expected && lastSlope < 0.35 * slope) kind = d2 < -0.25 * d1 ? 'went away' : 'plateau';
  else if (lastSlope < 0.35 * slope) kind = 'plateau';
  else if (d2 < Math.max(0.6 * d1, 0.5 * expected) && d1 > 0) kind = 'plateau';
  else if (decays(hours, first, span, count)) kind = 'plateau';
  // One jump that makes most of the rise, flat before and after.
  if (jump > 0.6 && (kind !== undefined || Math.min(d1, d2) < 0.2 * expected)) kind = 'step';
  return { kind, onsetHour: onset.hour, onsetSeen: onset.seen, rise, biggestJump: jump };
}

function joinEpochs(window: WindowPoints, slope: number): void {
  const { count, hours, values, epoch } = window;
  let start = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && epoch[i] === epoch[start]) continue;
    let mean = 0;
    for (let j = start; j < i; j++) mean += values[j] - slope * hours[j];
    mean /= i - start;
    for (let j = start; j < i; j++) joined[j] = values[j] - mean;
    start = i;
  }
}

function medianBetween(hours: Float64Array, from: number, to: number, count: number): number {
  let n = 0;
  for (let i = 0; i < count; i++) if (hours[i] >= from && hours[i] < to) sortable[n++] = joined[i];
  if (n === 0) return NaN;
  const sorted = sortable.subarray(0, n).sort();
  return n % 2 === 1 ? sorted[n >> 1] : (sorted[(n >> 1) - 1] + sorted[n >> 1]) / 2;
}

function slopeBetween(hours: Float64Array, from: number, count: number): number {
  let n = 0;
  let st = 0;
  let sy = 0;
  for (let i = 0; i < count; i++) {
    if (hours[i] < from) continue;
    n++;
    st += hours[i] - from;
    sy += joined[i];
  }
  let stt = 0;
  let sty = 0;
  for (let i = 0; i < count; i++) {
    if (hours[i] < from) continue;
    const t = hours[i] - from - st / n;
    stt += t * t;
    sty += t * (joined[i] - sy / n);
  }
  return stt > 0 ? sty / stt : 0;
}

/** Each quarter adds less than 0.7 of the one before. */
function decays(hours: Float64Array, first: number, span: number, count: number): boolean {
  const levels: number[] = [];
  for (let q = 0; q < 4; q++) {
    levels.push(medianBetween(hours, first + (q * span) / 4, first + ((q + 1) * span) / 4 + (q === 3 ? 1 : 0), count));
  }
  const [a, b, c] = [levels[1] - levels[0], levels[2] - levels[1], levels[3] - levels[2]];
  return a > 0 && b < 0.7 * a && c < 0.7 * b;
}

function biggestJump(count: number): number {
  let biggest = 0;
  // Over two points, because a jump inside one point's hours is spread over two.
  for (let i = 2; i < count; i++) biggest = Math.max(biggest, joined[i] - joined[i - 2]);
  return biggest;
}

/** The knot of the best flat-then-rising line. */
function findOnset(hours: Float64Array, count: number): { hour: number; seen: boolean } {
  let best = Infinity;
  let bestKnot = 0;
  let straight = Infinity;
  for (let knot = 0; knot < count - 3; knot++) {
    const error = hingeError(hours, count, hours[knot]);
    if (knot === 0) straight = error;
    if (error < best) {
      best = error;
      bestKnot = knot;
    }
  }
  // Seen only when the bend explains clearly more than a straight line.
  const seen = bestKnot > 1 && best < 0.8 * straight;
  return { hour: hours[seen ? bestKnot : 0], seen };
}

function hingeError(hours: Float64Array, count: number, knot: number): number {
  let sx = 0;
  let sy = 0;
  for (let i = 0; i < count; i++) {
    sx += Math.max(0, hours[i] - knot);
    sy += joined[i];
  }
  const mx = sx / count;
  const my = sy / count;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let i = 0; i < count; i++) {
    const x = Math.max(0, hours[i] - knot) - mx;
    const y = joined[i] - my;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  return yy - (xy > 0 && xx > 0 ? (xy * xy) / xx : 0);
}
