/**
 * The sampling error of a heap profile.
 *
 * Go samples about one allocation per `period` bytes and divides by the probability of being sampled:
 *
 * p = 1 - exp(-size / period)      416 bytes at 512 KiB: 0.00079, so one sample counts as 1260 objects
 *
 * Reversing that gives the number of samples. Each sample adds (1 - p) (size / p)^2 to the variance.
 */

/** With fewer samples, no verdict should be based on a family's bytes. */
export const MIN_SAMPLES_FOR_VERDICT = 20;

export interface Estimate {
  /** Allocations that were sampled; a fraction if the scaling rounded. */
  readonly samples: number;
  /** Variance of the bytes. */
  readonly variance: number;
}

/** `bytes` and `objects` as scaled in the profile; a row of a profile has objects of one size. */
export function estimateOf(bytes: number, objects: number, periodBytes: number): Estimate {
  if (objects === 0 || bytes === 0) return { samples: 0, variance: 0 };
  const size = Math.abs(bytes / objects);
  const seen = periodBytes > 0 ? -Math.expm1(-size / periodBytes) : 1;
  const samples = Math.abs(objects) * seen;
  return { samples, variance: samples * (1 - seen) * (size / seen) ** 2 };
}
