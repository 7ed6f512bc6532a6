/** Samples as a store takes and returns them. Times are Unix seconds. */

export interface StoredTarget {
  readonly target: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Null before the first sample. */
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
}

export interface Sample {
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

const MAX_NAME_LENGTH = 1_000;
const MAX_VALUES = 2_000;
/** Far beyond any clock, and still exact to the millisecond. */
const MAX_SECONDS = Number.MAX_SAFE_INTEGER / 1000;

/** Whether a store must accept the sample: a plausible time, at most 2,000 values, and names of bounded length. */
export function isStorableSample(target: string, { at, values }: Sample): boolean {
  if (!(Math.abs(at) <= MAX_SECONDS) || target.length > MAX_NAME_LENGTH) return false;
  const names = Object.keys(values).filter(metric => Number.isFinite(values[metric]));
  return names.length <= MAX_VALUES && names.every(name => name.length <= MAX_NAME_LENGTH);
}

export interface SampleQuery {
  readonly target: string;
  readonly metrics: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Limit per metric. Longer series are thinned; a store may keep old samples only in coarse steps. */
  readonly maxPoints: number;
}

/** Columns of equal length. A point that represents several samples has their median, lowest and highest. */
export interface SampleSeries {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export interface ReplayQuery {
  readonly from: number;
  /**
   * The coarsest step allowed; 5 minutes by default. Finer steps are available only as far back as the store keeps
   * them.
   */
  readonly stepSeconds?: number;
  /** Before this time, steps of an hour will do: a tenth of the work. -Infinity by default. */
  readonly hourlyBefore?: number;
  /** All by default. */
  readonly metrics?: readonly string[];
  /** All by default. What others have is not read: it costs as much as these targets have. */
  readonly targets?: readonly string[];
}

/** One target in one window; NaN if a metric was missing. */
export interface ReplayPart {
  readonly target: string;
  readonly times: Float64Array;
  readonly columns: readonly ReplayColumn[];
}

export interface ReplayColumn {
  readonly metric: string;
  /** The median of each step. */
  readonly values: Float64Array;
  /** The lowest of each step, for resources that are judged by their floor. */
  readonly lows: Float64Array;
}
