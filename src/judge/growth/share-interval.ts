/**
 * The confidence interval of a share, from counted successes: Jeffreys', whose coverage is good even for few counts.
 *
 *     shareInterval(28, 28)   [0.934, 1, 1]
 *     shareInterval(10, 10)   [0.829, 1, 1]
 *     shareInterval(38, 119)  [0.241, 0.319, 0.407]
 */
import type { Interval } from '../process/retention.ts';

const TAIL = 0.05;

/** 95 % interval. At either end of the range it has only one side, which gets the whole tail. */
export function shareInterval(successes: number, trials: number): Interval {
  if (trials <= 0) return [0, 0, 1];
  const hits = Math.min(Math.max(successes, 0), trials);
  const misses = trials - hits;
  const isAtEnd = hits < 0.5 || misses < 0.5;
  const tail = isAtEnd ? TAIL : TAIL / 2;
  const low = hits < 0.5 ? 0 : betaQuantile(tail, hits + 0.5, misses + 0.5);
  const high = misses < 0.5 ? 1 : betaQuantile(1 - tail, hits + 0.5, misses + 0.5);
  return [low, hits / trials, high];
}

/** By bisection: the distribution is monotone, and forty steps give twelve digits. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function: P(X < x) where X is Beta(a, b). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast only on this side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  return front * betaFraction(x, a, b);
}

const TINY = 1e-300;

/** Lentz's continued fraction. */
function betaFraction(x: number, a: number, b: number): number {
  const safe = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    product *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    product *= d * c;
    if (Math.abs(d * c - 1) < 1e-13) break;
  }
  return product;
}

/** Stirling's series, from 10 on; below, by recurrence. */
function logGamma(x: number): number {
  if (x < 10) return logGamma(x + 1) - Math.log(x);
  const r = 1 / x;
  const series = r * (1 / 12 - r * r * (1 / 360 - r * r * (1 / 1260 - (r * r) / 1680)));
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}
