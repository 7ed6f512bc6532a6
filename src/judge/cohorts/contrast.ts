/**
 * Two groups of slopes, one number per target, against each other. Samples of one target are correlated, targets are
 * not: so the targets are counted, never the samples.
 */
import { studentTail } from '../growth/student-t.ts';
import { permutationChance, rankChance, studentQuantile } from './chance.ts';

export interface Contrast {
  /** For each group, with its far-off targets drawn in. */
  readonly mean: number;
  readonly controlMean: number;
  /** Standard deviation between the controls: what slopes do without a leak. */
  readonly controlDeviation: number;
  readonly difference: number;
  /** 90 %, with the spread of both groups. */
  readonly low: number;
  readonly high: number;
  /** One-sided, if the group were drawn from the controls. */
  readonly chance: number;
  /** True standard deviation between the targets of the group, beyond that of the controls. */
  readonly spread: number;
}

/** Below this many on one side every permutation is counted. */
export const FEW = 5;
/** Targets further from the median than this many deviations are drawn in to it. */
const FAR = 3;
const CONTROL_FAR = 4;
/** What ranks must show by themselves. */
export const CONVINCING = 1e-4;

export function contrast(group: readonly number[], controls: readonly number[]): Contrast {
  const controlMiddle = median(controls);
  const controlMad = 1.4826 * median(controls.map(value => Math.abs(value - controlMiddle)));
  const drawnControls = drawIn(controls, controlMiddle, CONTROL_FAR * controlMad);
  const controlMean = meanOf(drawnControls);
  const controlVariance = Math.max(varianceOf(drawnControls, controlMean), controlMad ** 2, Number.MIN_VALUE);
  const controlDeviation = Math.sqrt(controlVariance);

  const middle = median(group);
  const mad = 1.4826 * median(group.map(value => Math.abs(value - middle)));
  const drawn = drawIn(group, middle, FAR * Math.max(mad, controlDeviation));
  const mean = meanOf(drawn);
  const variance = varianceOf(drawn, mean);
  const difference = mean - controlMean;

  // Without a leak, both groups vary alike: what the leak itself adds to the spread must not hide it.
  const nullError = controlDeviation * Math.sqrt(1 / group.length + 1 / controls.length);
  const tail = studentTail(difference / nullError, Math.max(1, controls.length - 1));
  const isSmall = group.length < FEW || controls.length < FEW;
  const exact = isSmall ? permutationChance(drawn, drawnControls) : undefined;
  const chance = difference > 0 ? (exact ?? guarded(tail, group, controls)) : 1;

  const error = Math.sqrt(Math.max(variance, controlVariance) / group.length + controlVariance / controls.length);
  const reach = studentQuantile(0.05, Math.max(1, Math.min(group.length, controls.length) - 1)) * error;
  return {
    mean,
    controlMean,
    controlDeviation,
    difference,
    low: difference - reach,
    high: difference + reach,
    chance,
    spread: Math.sqrt(Math.max(0, varianceOf(group, meanOf(group)) - controlVariance)),
  };
}

/** Slopes have longer tails than the normal distribution, ranks have none: they must be convincing by themselves. */
function guarded(tail: number, group: readonly number[], controls: readonly number[]): number {
  if (tail > CONVINCING) return tail;
  const ranked = rankChance(group, controls);
  return ranked <= CONVINCING ? tail : ranked;
}

/**
 * Standard errors by which the difference of the means exceeds zero, with the larger spread of the two: for questions
 * about the shape, where the group may differ from the controls in any way.
 */
export function deviates(group: readonly number[], controls: readonly number[]): number {
  const middle = median(group);
  const controlMiddle = median(controls);
  const mad = 1.4826 * median(group.map(value => Math.abs(value - middle)));
  const controlMad = 1.4826 * median(controls.map(value => Math.abs(value - controlMiddle)));
  const drawn = drawIn(group, middle, FAR * mad);
  const drawnControls = drawIn(controls, controlMiddle, FAR * controlMad);
  const controlMean = meanOf(drawnControls);
  const controlVariance = Math.max(varianceOf(drawnControls, controlMean), controlMad ** 2);
  const mean = meanOf(drawn);
  const variance = Math.max(varianceOf(drawn, mean), controlVariance);
  return (mean - controlMean) / Math.sqrt(variance / group.length + controlVariance / controls.length);
}

/**
 * Partial pooling: each target's own slope, drawn towards the mean of its group by as much as the group agrees. If all
 * grow alike, all of them have the mean; if three of them do, each has nearly its own.
 */
export function pooledSlopes(group: readonly number[], { mean, controlDeviation, spread }: Contrast): number[] {
  const share = spread ** 2 / (spread ** 2 + controlDeviation ** 2);
  return group.map(value => mean + share * (value - mean));
}

function drawIn(values: readonly number[], middle: number, reach: number): number[] {
  if (reach === 0) return [...values];
  return values.map(value => Math.min(middle + reach, Math.max(middle - reach, value)));
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[], mean: number): number {
  if (values.length < 2) return 0;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
