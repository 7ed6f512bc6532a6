/**
 * The slope of a level over operations, with its error.
 *
 *     level = start + slope · operations + noise
 *
 * Levels at rest wander a little and come back, so noise of one round may last into the next ones. Its memory is
 * estimated from the residuals, with a margin, and widens the error as it would fewer rounds.
 */
export interface Point {
  /** Operations since the beginning. */
  readonly operations: number;
  readonly level: number;
}

export interface LevelSlope {
  readonly perOperation: number;
  readonly standardError: number;
  /** The deviation of a single level from the line. */
  readonly deviation: number;
}

const MOST_MEMORY = 0.7;

/** Undefined for fewer than three points. `leastDeviation` is how well a level can be known at all. */
export function levelSlope(points: readonly Point[], leastDeviation: number): LevelSlope | undefined {
  const n = points.length;
  if (n < 3) return undefined;
  const meanX = mean(points.map(({ operations }) => operations));
  const meanY = mean(points.map(({ level }) => level));
  let spread = 0;
  let product = 0;
  for (const { operations, level } of points) {
    spread += (operations - meanX) ** 2;
    product += (operations - meanX) * (level - meanY);
  }
  if (spread === 0) return undefined;
  const slope = product / spread;
  const residuals = points.map(({ operations, level }) => level - meanY - slope * (operations - meanX));
  const variance = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / (n - 2);
  const deviation = Math.max(Math.sqrt(variance), leastDeviation);
  const memory = Math.min(MOST_MEMORY, Math.max(0, autocorrelation(residuals) + 1.5 / Math.sqrt(n)));
  const inflation = Math.sqrt((1 + memory) / (1 - memory));
  return { perOperation: slope, standardError: (deviation * inflation) / Math.sqrt(spread), deviation };
}

function autocorrelation(residuals: readonly number[]): number {
  let product = 0;
  let square = 0;
  residuals.forEach((residual, i) => {
    square += residual ** 2;
    product += residual * (residuals[i + 1] ?? 0);
  });
  return square === 0 ? 0 : product / square;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
