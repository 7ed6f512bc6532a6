/** The confidence interval of an amount that a heap profile estimates from samples. */
import type { Interval } from './retention.ts';

const Z = 1.96;

/**
 * 95 %. The samples are counts of a Poisson process, each worth about the same; Wilson and Hilferty's bounds are within
 * one percent of the exact ones from three samples on.
 */
export function amountInterval(amount: number, variance: number): Interval {
  if (amount <= 0 || variance <= 0) return [amount, amount, amount];
  const samples = amount ** 2 / variance;
  const each = amount / samples;
  const low = samples * Math.max(0, 1 - 1 / (9 * samples) - Z / (3 * Math.sqrt(samples))) ** 3;
  const next = samples + 1;
  const high = next * (1 - 1 / (9 * next) + Z / (3 * Math.sqrt(next))) ** 3;
  return [low * each, amount, high * each];
}
