/** How likely a difference between two groups is by chance alone: exactly where they are small. */
import { studentTail } from '../growth/student-t.ts';

/** Exact permutation up to this many ways to choose the group. */
const MAX_WAYS = 60_000;

/** ln n! below 20, where Stirling's series is not exact enough. */
const LOG_FACTORIALS: readonly number[] = Array.from({ length: 20 }, (_, n) => {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
});

function logFactorial(n: number): number {
  if (n < LOG_FACTORIALS.length) return LOG_FACTORIALS[n];
  return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + 1 / (12 * n) - 1 / (360 * n ** 3);
}

/** ln of the number of ways to choose `chosen` of `all`. */
function logWays(all: number, chosen: number): number {
  if (chosen < 0 || chosen > all) return -Infinity;
  return logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen);
}

/** The chance that at least `least` of `drawn` drawn from `all` are among the `marked` ones. */
export function hypergeometricTail(all: number, marked: number, drawn: number, least: number): number {
  let sum = 0;
  const ways = logWays(all, drawn);
  for (let k = least; k <= Math.min(marked, drawn); k++) {
    sum += Math.exp(logWays(marked, k) + logWays(all - marked, drawn - k) - ways);
  }
  return Math.min(1, sum);
}

/**
 * The chance that a random group of the same size has so high a mean: every way to choose it is counted, or undefined
 * if there are too many.
 */
export function permutationChance(group: readonly number[], others: readonly number[]): number | undefined {
  const all = [...group, ...others];
  const size = Math.min(group.length, others.length);
  if (size === 0) return 1;
  if (logWays(all.length, size) > Math.log(MAX_WAYS)) return undefined;
  // With fewer others than members, choose the others: their sum must be as low.
  const sign = group.length <= others.length ? 1 : -1;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const observed = sign * sum(sign === 1 ? group : others);
  // Sums in another order differ in their last digits.
  const least = observed - 1e-9 * all.reduce((total, value) => total + Math.abs(value), 0);
  let [ways, asHigh] = [0, 0];
  const choose = (from: number, left: number, total: number): void => {
    if (left === 0) {
      ways++;
      if (total >= least) asHigh++;
      return;
    }
    for (let i = from; i <= all.length - left; i++) choose(i + 1, left - 1, total + sign * all[i]);
  };
  choose(0, size, 0);
  return asHigh / ways;
}

/**
 * The same by rank, exact for any number of targets: all of the group, or all but up to a quarter of it, lie among the
 * highest of all. One odd target in four neither makes nor breaks it.
 */
export function rankChance(group: readonly number[], others: readonly number[]): number {
  const sorted = [...group].sort((a, b) => b - a);
  const chanceOf = (least: number): number => {
    const bar = sorted[least - 1];
    const inGroup = sorted.filter(value => value >= bar).length;
    const highest = inGroup + others.filter(value => value >= bar).length;
    return hypergeometricTail(group.length + others.length, highest, group.length, inGroup);
  };
  const tried = triedRanks(sorted.length).map(chanceOf);
  return Math.min(1, tried.length * Math.min(...tried));
}

/** How many of the group must be among the highest, as `rankChance` tries it. */
function triedRanks(size: number): number[] {
  const fewest = Math.max(1, Math.ceil(0.75 * size));
  // In a large group, a handful of numbers says as much as all of them.
  const step = Math.max(1, Math.floor((size - fewest) / 4));
  const tried: number[] = [];
  for (let least = size; least >= fewest; least -= step) tried.push(least);
  return tried;
}

/** How often `rankChance` tries, which is what its least chance is multiplied by. */
export function rankTries(size: number): number {
  return triedRanks(size).length;
}

/** The least chance that any outcome could have with so few targets. */
export function leastChance(group: number, others: number): number {
  return Math.exp(-logWays(group + others, group));
}

/** The t above which Student's distribution has `tail`. */
export function studentQuantile(tail: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, degrees) > tail && high < 1e6) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return high;
}
