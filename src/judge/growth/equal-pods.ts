/**
 * A series as it would be with the same number of pods all the time, where pods come and go in waves:
 *
 *     pods      15  70  15  70  15  70
 *     values    32  38  33  39  34  40     ->   35  35  36  36  37  37     +1 per wave at 43 pods
 *
 * Size per pod and slope are fitted together. Pods that only rise or fall cannot be told from time: see density.ts.
 */
import { leastSquares } from './least-squares.ts';
import { median } from './theil-sen.ts';

export interface EqualPods {
  readonly values: readonly number[];
  readonly fewest: number;
  readonly most: number;
  readonly perPod: number;
}

const MIN_POD_CHANGE = 5;
const MIN_POD_SHARE = 0.2;
/** Waves have hardly a trend of their own: this much of their variance at most. */
const MAX_TREND_SHARE = 0.25;
/** Pods that explain less of the scatter are left in. */
const MIN_EXPLAINED = 0.2;

/** `pods[i]` belongs to `values[i]`. Undefined if pods do not come in waves, or explain nothing. */
export function atEqualPods(
  hours: readonly number[],
  values: readonly number[],
  pods: readonly number[],
): EqualPods | undefined {
  if (values.length < 6 || !pods.every(Number.isFinite)) return undefined;
  const fewest = pods.reduce((least, count) => Math.min(least, count), Infinity);
  const most = pods.reduce((greatest, count) => Math.max(greatest, count), -Infinity);
  if (most - fewest < MIN_POD_CHANGE || most - fewest < most * MIN_POD_SHARE) return undefined;
  const ones = hours.map(() => 1);
  const trendOfPods = leastSquares([ones, hours], pods);
  const flat = leastSquares([ones], pods);
  const alone = leastSquares([ones, hours], values);
  const together = leastSquares([ones, hours, pods], values);
  if (trendOfPods === undefined || flat === undefined || alone === undefined || together === undefined)
    return undefined;
  if (1 - trendOfPods.residual / flat.residual > MAX_TREND_SHARE) return undefined;
  const perPod = together.coefficients[2] ?? 0;
  if (perPod <= 0 || together.residual > alone.residual * (1 - MIN_EXPLAINED)) return undefined;
  const usual = median(pods);
  return { values: values.map((value, i) => value - perPod * ((pods[i] ?? usual) - usual)), fewest, most, perPod };
}
