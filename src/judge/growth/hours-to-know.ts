/**
 * How long a slope must be observed to be told from zero.
 *
 * The variance of a slope over T hours, from samples every d hours with noise s of which a share r lasts to the next
 * sample, is 12 s^2 d (1 + r) / (1 - r) / T^3. It is known when slope / error reaches 5.36: a chance of 1 in 10,000 with
 * a power of 95 %. So T = (5.36^2 · 12 s^2 d (1 + r) / (1 - r) / slope^2)^(1/3).
 */
const ERRORS = 5.36;
const MAX_MEMORY = 0.98;
/** Fewer samples say nothing about the noise. */
const MIN_SAMPLES = 8;

export interface Noise {
  /** Standard deviation around the trend. */
  readonly deviation: number;
  readonly stepHours: number;
  /** Correlation of neighbours. */
  readonly memory: number;
}

export function hoursToKnow(slopePerHour: number, { deviation, stepHours, memory }: Noise): number {
  if (!(Math.abs(slopePerHour) > 0)) return Infinity;
  const lasting = (1 + memory) / (1 - memory);
  return Math.cbrt((ERRORS ** 2 * 12 * deviation ** 2 * stepHours * lasting) / slopePerHour ** 2);
}

/** Around a line of this slope; undefined with too few samples. */
export function noiseAround(
  hours: readonly number[],
  values: readonly number[],
  slopePerHour: number,
): Noise | undefined {
  const n = hours.length;
  if (n < MIN_SAMPLES) return undefined;
  const flat = values.map((value, i) => value - slopePerHour * (hours[i]! - hours[0]!));
  const mean = flat.reduce((sum, value) => sum + value, 0) / n;
  let [squares, products] = [0, 0];
  flat.forEach((value, i) => {
    squares += (value - mean) ** 2;
    if (i > 0) products += (value - mean) * (flat[i - 1]! - mean);
  });
  const memory = squares === 0 ? 0 : Math.min(MAX_MEMORY, Math.max(0, products / squares));
  return { deviation: Math.sqrt(squares / (n - 2)), stepHours: (hours[n - 1]! - hours[0]!) / (n - 1), memory };
}
