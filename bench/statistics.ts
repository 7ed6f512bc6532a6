/** The median of several runs and their spread. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return { median, least: sorted[0], most: sorted[sorted.length - 1], runs: sorted.length };
}
