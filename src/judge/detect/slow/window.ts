/** The last hours of a series as points for a slope: means of a few hours each, outliers clipped. */
import type { TrendPoints } from '../../growth/wander-trend.ts';
import { type Hours, MAX_HOURS } from './hours.ts';

const CLIP = 4;

export interface WindowPoints extends TrendPoints {
  count: number;
  readonly hours: Float64Array;
  readonly values: Float64Array;
  readonly epoch: Uint16Array;
  stepHours: number;
  /** Hours of the window that have a value. */
  filled: number;
  /** Slopes of pods and churn over the window, per hour. */
  podSlope: number;
  churnSlope: number;
}

export function newWindow(): WindowPoints {
  return {
    count: 0,
    hours: new Float64Array(MAX_HOURS),
    values: new Float64Array(MAX_HOURS),
    epoch: new Uint16Array(MAX_HOURS),
    stepHours: 1,
    filled: 0,
    podSlope: 0,
    churnSlope: 0,
  };
}

const near = new Float64Array(5);
const deviations = new Float64Array(MAX_HOURS);

/** Single hours far from their neighbours are drawn in; a step or a ramp is not. */
export function clipOutliers(hours: Hours): void {
  const { count, values, epoch } = hours;
  let n = 0;
  const medians = scratchMedians;
  for (let i = 0; i < count; i++) {
    medians[i] = NaN;
    if (Number.isNaN(values[i])) continue;
    let m = 0;
    for (let j = Math.max(0, i - 2); j <= Math.min(count - 1, i + 2); j++) {
      if (!Number.isNaN(values[j]) && epoch[j] === epoch[i]) near[m++] = values[j];
    }
    medians[i] = medianOf(near, m);
    // A third of them tell how far hours usually are from their neighbours.
    if (i % 3 === 0) deviations[n++] = Math.abs(values[i] - medians[i]);
  }
  if (n < 8) return;
  const bound = CLIP * 1.4826 * deviations.subarray(0, n).sort()[n >> 1];
  if (bound === 0) return;
  for (let i = 0; i < count; i++) {
    if (Number.isNaN(values[i])) continue;
    values[i] = Math.min(Math.max(values[i], medians[i] - bound), medians[i] + bound);
  }
}

const scratchMedians = new Float64Array(MAX_HOURS);

function medianOf(values: Float64Array, n: number): number {
  // Insertion sort: five at most.
  for (let i = 1; i < n; i++) {
    const value = values[i];
    let j = i - 1;
    for (; j >= 0 && values[j] > value; j--) values[j + 1] = values[j];
    values[j + 1] = value;
  }
  return n % 2 === 1 ? values[n >> 1] : (values[(n >> 1) - 1] + values[n >> 1]) / 2;
}

/** The `windowHours` before entry `end` of the hours. */
export function layWindow(
  window: WindowPoints,
  hours: Hours,
  end: number,
  windowHours: number,
  stepHours: number,
): void {
  const from = Math.max(0, end - windowHours);
  window.count = 0;
  window.stepHours = stepHours;
  window.filled = 0;
  let sum = 0;
  let n = 0;
  let block = -1;
  let epoch = -1;
  let st = 0;
  let stt = 0;
  let sp = 0;
  let sc = 0;
  let spt = 0;
  let sct = 0;
  const flush = (): void => {
    if (n === 0) return;
    const at = window.count++;
    window.values[at] = sum / n;
    // The middle of its hours, so that windows without gaps are alike.
    window.hours[at] = hours.firstBin + end - block * stepHours - stepHours / 2;
    window.epoch[at] = epoch;
    sum = n = 0;
  };
  for (let i = from; i < end; i++) {
    const value = hours.values[i];
    if (Number.isNaN(value)) continue;
    const blockNow = Math.floor((end - 1 - i) / stepHours);
    if (blockNow !== block || hours.epoch[i] !== epoch) {
      flush();
      block = blockNow;
      epoch = hours.epoch[i];
    }
    sum += value;
    n++;
    window.filled++;
    const u = i - from;
    st += u;
    stt += u * u;
    sp += hours.pods[i];
    sc += hours.churn[i];
    spt += u * hours.pods[i];
    sct += u * hours.churn[i];
  }
  flush();
  const filled = window.filled;
  const variance = stt - (st * st) / Math.max(1, filled);
  window.podSlope = variance > 0 ? (spt - (st * sp) / filled) / variance : 0;
  window.churnSlope = variance > 0 ? (sct - (st * sc) / filled) / variance : 0;
}
