/**
 * The Theil-Sen trend: the median of the slopes between all pairs of points, which a quarter of outliers does not move,
 * with Sen's interval, widened if neighbouring points are correlated.
 */

export interface Trend {
  /** Units of y per unit of x. */
  readonly slope: number;
  /** 95 % confidence interval of the slope, if the points are a line with noise. */
  readonly low: number;
  readonly high: number;
  readonly pointCount: number;
}

/** More points than this are merged first: their pairs would cost more than they add. */
const MAX_POINTS = 300;

/** Undefined if there are fewer than two different x. Points must be in the order of x. */
export function theilSen(xs: ArrayLike<number>, ys: ArrayLike<number>): Trend | undefined {
  const { x, y } = thin(xs, ys);
  const n = x.length;
  const slopes: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) if (x[j] > x[i]) slopes.push((y[j] - y[i]) / (x[j] - x[i]));
  }
  if (slopes.length === 0) return undefined;
  const sorted = Float64Array.from(slopes).sort();
  const slope = quantile(sorted, 0.5);
  const deviation = Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18) * Math.sqrt(inflation(x, y, slope));
  const reach = Math.min((1.96 * deviation) / sorted.length / 2, 0.5);
  // Two or three points have no scatter to judge by.
  if (n < 4) return { slope, low: -Infinity, high: Infinity, pointCount: n };
  return { slope, low: quantile(sorted, 0.5 - reach), high: quantile(sorted, 0.5 + reach), pointCount: n };
}

/**
 * How much less the points tell than as many independent ones would, from the correlation of neighbouring residuals.
 */
function inflation(x: readonly number[], y: readonly number[], slope: number): number {
  const residuals = y.map((value, i) => value - slope * (x[i] - x[0]));
  const middle = median(residuals);
  let products = 0;
  let squares = 0;
  for (let i = 0; i < residuals.length; i++) {
    const residual = residuals[i] - middle;
    squares += residual * residual;
    if (i > 0) products += residual * (residuals[i - 1] - middle);
  }
  const correlation = squares === 0 ? 0 : Math.min(Math.max(products / squares, 0), 0.95);
  return (1 + correlation) / (1 - correlation);
}

/** Runs of neighbours become their medians. */
function thin(xs: ArrayLike<number>, ys: ArrayLike<number>): { x: number[]; y: number[] } {
  const x: number[] = [];
  const y: number[] = [];
  const size = Math.ceil(xs.length / MAX_POINTS);
  for (let start = 0; start < xs.length; start += size) {
    const end = Math.min(start + size, xs.length);
    const runX: number[] = [];
    const runY: number[] = [];
    for (let i = start; i < end; i++) {
      if (!Number.isFinite(xs[i]) || !Number.isFinite(ys[i])) continue;
      runX.push(xs[i]);
      runY.push(ys[i]);
    }
    if (runX.length === 0) continue;
    x.push(median(runX));
    y.push(median(runY));
  }
  return { x, y };
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

/** Interpolates between the two nearest values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = (sorted.length - 1) * Math.min(Math.max(share, 0), 1);
  const below = Math.floor(at);
  const above = Math.ceil(at);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}
