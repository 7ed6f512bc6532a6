/**
 * How much of a heap profile's number is measurement.
 *
 * Go samples about one allocation per `period` bytes and divides what it saw by the chance of being seen:
 *
 *     p = 1 - exp(-size / period)      416 bytes at 512 KiB: 0.00079, so one sample reads as 1260 objects
 *
 * Undoing that gives back the number of samples. Each one that was seen adds (1 - p) (size / p)^2 to the variance.
 */

/** Below this many samples no verdict should rest on a family's bytes. */
export const MIN_SAMPLES_FOR_VERDICT = 20;

export interface Estimate {
  /** Allocations that were sampled; a fraction where the scaling rounded. */
  readonly samples: number;
  /** Of the bytes. */
  readonly variance: number;
}

/** `bytes` and `objects` as the profile has them, scaled; a row of a profile holds objects of one size. */
export function estimateOf(bytes: number, objects: number, periodBytes: number): Estimate {
  if (objects === 0 || bytes === 0) return { samples: 0, variance: 0 };
  const size = Math.abs(bytes / objects);
  const seen = periodBytes > 0 ? -Math.expm1(-size / periodBytes) : 1;
  const samples = Math.abs(objects) * seen;
  return { samples, variance: samples * (1 - seen) * (size / seen) ** 2 };
}
