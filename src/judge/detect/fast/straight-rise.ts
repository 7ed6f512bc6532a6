/**
 * A straight rise within one window: six equal stretches, the median of each, and what each adds to the one before.
 *
 *     medians   m1   m2   m3   m4   m5   m6
 *     steps        s1   s2   s3   s4   s5        a leak: alike; a cache that fills: falling; a burst: one large
 */
const STRETCHES = 6;
/** Points that a window needs. */
const MIN_POINTS = 6;

export interface StraightRise {
  /** Bins of the window. */
  readonly bins: number;
  /** Fitted at both ends of the window, within what was seen. */
  readonly from: number;
  readonly to: number;
  readonly perBin: number;
  readonly perBinError: number;
  /** How fast it rises at the end, as a share of how fast it rose at the second stretch; of a parabola through both. */
  readonly steadiness: number;
  /** The smallest step after the first, as a share of their mean. */
  readonly leastStep: number;
  /** Share of the medians' spread that a straight line explains. */
  readonly straightness: number;
  /** The last step, as a share of the mean. */
  readonly lastStep: number;
}

const medians = new Float64Array(STRETCHES);
const stretch = new Float64Array(256);

/** Undefined where too little was seen, or nothing rises. */
export function straightRise(values: Float64Array, from: number, to: number): StraightRise | undefined {
  const bins = to - from;
  let points = 0;
  let lowest = Infinity;
  let highest = -Infinity;
  for (let s = 0; s < STRETCHES; s++) {
    const begin = from + Math.floor((s * bins) / STRETCHES);
    const end = from + Math.floor(((s + 1) * bins) / STRETCHES);
    let count = 0;
    for (let i = begin; i < end; i++) {
      const value = values[i];
      if (Number.isNaN(value)) continue;
      stretch[count++] = value;
      if (value < lowest) lowest = value;
      if (value > highest) highest = value;
    }
    if (count === 0) return undefined;
    points += count;
    medians[s] = medianOf(count);
  }
  if (points < MIN_POINTS) return undefined;
  const total = medians[STRETCHES - 1] - medians[0];
  if (!(total > 0)) return undefined;
  return fitted(bins, total / (STRETCHES - 1), lowest, highest);
}

function medianOf(count: number): number {
  const values = stretch.subarray(0, count).sort();
  return count % 2 === 1 ? values[count >> 1] : (values[(count >> 1) - 1] + values[count >> 1]) / 2;
}

function fitted(bins: number, meanStep: number, lowest: number, highest: number): StraightRise {
  let least = Infinity;
  // The rise may begin within the first stretch.
  for (let s = 2; s < STRETCHES; s++) least = Math.min(least, medians[s] - medians[s - 1]);
  const middle = (STRETCHES - 1) / 2;
  let mean = 0;
  for (const value of medians) mean += value / STRETCHES;
  let slope = 0;
  let spread = 0;
  for (let s = 0; s < STRETCHES; s++) {
    slope += (s - middle) * medians[s];
    spread += (s - middle) ** 2;
  }
  slope /= spread;
  let residual = 0;
  for (let s = 0; s < STRETCHES; s++) residual += (medians[s] - mean - slope * (s - middle)) ** 2;
  let total = 0;
  for (const value of medians) total += (value - mean) ** 2;
  const perBin = (slope * STRETCHES) / bins;
  const error = Math.sqrt(residual / (STRETCHES - 2) / spread);
  return {
    bins,
    from: Math.max(medians[0] - meanStep / 2, lowest),
    to: Math.min(medians[STRETCHES - 1] + meanStep / 2, highest),
    perBin,
    perBinError: (error * STRETCHES) / bins,
    steadiness: endSlopes(),
    leastStep: least / meanStep,
    straightness: 1 - residual / total,
    lastStep: (medians[STRETCHES - 1] - medians[STRETCHES - 2]) / meanStep,
  };
}

/** Slope at the last stretch over that at the second, by the parabola that fits the last five medians best. */
function endSlopes(): number {
  // At x = -2 ... 2 the linear and the square part are found apart: sums of x^2 are 10, of (x^2 - 2)^2 are 14.
  let linear = 0;
  let square = 0;
  for (let x = -2; x <= 2; x++) {
    linear += (x * medians[x + 3]) / 10;
    square += ((x * x - 2) * medians[x + 3]) / 14;
  }
  const early = linear - 4 * square;
  const late = linear + 4 * square;
  if (late <= 0) return 0;
  return early > 0 ? late / early : Infinity;
}
