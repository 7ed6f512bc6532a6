/** Draws from the distributions the simulator needs; the same seed gives the same draws on every machine. */
import { randomFrom } from '../../random.ts';

export interface Dice {
  uniform(low: number, high: number): number;
  /** Every factor of two is as likely as the next. */
  logUniform(low: number, high: number): number;
  integer(low: number, high: number): number;
  normal(): number;
  /** Around 1, with the spread as the standard deviation of the logarithm. */
  around(spread: number): number;
  exponential(mean: number): number;
  /** Heavy tail: one in 2^shape draws is above twice the least. */
  pareto(least: number, shape: number): number;
  poisson(mean: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

const NORMAL_ABOVE = 30;

export function diceFrom(...seeds: readonly number[]): Dice {
  const random = randomFrom(seeds.reduce(mix, 0x9e3779b9));
  let spare: number | undefined;

  function normal(): number {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  function poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > NORMAL_ABOVE) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = random(); product > limit; product *= random()) count++;
    return count;
  }

  const uniform = (low: number, high: number): number => low + (high - low) * random();
  return {
    uniform,
    logUniform: (low, high) => low * Math.exp(Math.log(high / low) * random()),
    integer: (low, high) => Math.floor(uniform(low, high + 1)),
    normal,
    around: spread => Math.exp(spread * normal()),
    exponential: mean => -mean * Math.log(1 - random()),
    pareto: (least, shape) => least / Math.pow(1 - random(), 1 / shape),
    poisson,
    chance: probability => random() < probability,
    pick: choices => choices[Math.floor(random() * choices.length)],
    shuffle: items => {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const other = Math.floor(random() * (i + 1));
        [shuffled[i], shuffled[other]] = [shuffled[other], shuffled[i]];
      }
      return shuffled;
    },
  };
}

function mix(state: number, seed: number): number {
  const mixed = Math.imul(state ^ seed ^ (seed >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
