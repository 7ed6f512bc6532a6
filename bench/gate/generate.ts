/**
 * Runs of a program under churn, with the truth: the level of one resource at rest after each round. Written without
 * sight of what judges them.
 */
import type { Dice } from '../detect/simulate/dice.ts';

export interface Run {
  readonly kind: string;
  /** What each operation really leaves behind; 0 if healthy. */
  readonly perOperation: number;
  readonly operations: number;
  readonly before: number;
  /** The level after the next round, with operations or without. */
  readonly next: (isIdle?: boolean) => number;
  /** The standard error of a level, if it is an estimate from samples. */
  readonly errorOf?: (level: number) => number;
  /** It grows with time, so with and without operations. */
  readonly isOverTime?: boolean;
}

export interface Scale {
  readonly name: 'goroutines' | 'heap';
  /** What the gate allows per operation. */
  readonly budget: number;
  /** A usual disturbance of a level at rest. */
  readonly noise: number;
  readonly level: number;
}

export const SCALES: readonly Scale[] = [
  { name: 'goroutines', budget: 0.01, noise: 0.6, level: 200 },
  { name: 'heap', budget: 512, noise: 30_000, level: 40e6 },
];

type Make = (scale: Scale, operations: number, dice: Dice) => Omit<Run, 'kind' | 'operations'>;

export const HEALTHY: Readonly<Record<string, Make>> = {
  quiet: (scale, _operations, dice) => around(scale, dice, () => 0),
  noisy: (scale, _operations, dice) => around({ ...scale, noise: scale.noise * dice.uniform(2, 6) }, dice, () => 0),
  'cache that fills': (scale, operations, dice) => {
    const size = scale.budget * operations * dice.logUniform(10, 300);
    const rounds = dice.logUniform(0.3, 4);
    return around(scale, dice, round => size * (1 - Math.exp(-round / rounds)));
  },
  'pool to a bound': (scale, operations, dice) => {
    const bound = scale.budget * operations * dice.logUniform(5, 100);
    const rounds = dice.uniform(1, 4);
    return around(scale, dice, round => bound * Math.min(1, round / rounds));
  },
  'map of random keys': (scale, operations, dice) => {
    // The first operations bring a new key each, later ones less and less often.
    const size = scale.budget * operations * dice.logUniform(10, 300);
    const rounds = dice.uniform(3, 12);
    return around(scale, dice, round => size * (1 - Math.exp(-round / rounds)));
  },
  'filled in ten rounds': (scale, operations, dice) => {
    const size = scale.budget * operations * dice.logUniform(10, 300);
    const rounds = dice.uniform(4, 10);
    return around(scale, dice, round => size * Math.min(1, round / rounds));
  },
  'one step': (scale, operations, dice) => {
    const at = dice.integer(1, 12);
    const size = scale.budget * operations * dice.logUniform(3, 60);
    return around(scale, dice, round => (round >= at ? size : 0));
  },
  sawtooth: (scale, operations, dice) => {
    const every = dice.integer(2, 6);
    const each = scale.budget * operations * dice.logUniform(0.5, 5);
    const from = dice.integer(0, every - 1);
    return around(scale, dice, round => each * ((round + from) % every));
  },
  wandering: (scale, operations, dice) => {
    let level = 0;
    const kick = Math.max(scale.noise, scale.budget * operations) * dice.uniform(0.5, 3);
    return around(scale, dice, () => (level = 0.7 * level + kick * dice.normal()));
  },
};

/** A heap profile has one sample in so many bytes. */
const SAMPLING_BYTES = [4096, 524_288];

/** Of `bytes` that were just allocated, what the samples say. */
function sampled(bytes: number, rate: number, dice: Dice): number {
  return rate * dice.poisson(bytes / rate);
}

export const MORE_HEALTHY: Readonly<Record<string, Make>> = {
  'collector noise': (scale, operations, dice) => {
    // Rest is never complete: now and then a background job holds something while it is counted.
    const share = dice.uniform(0.05, 0.3);
    const size = Math.max(scale.noise, scale.budget * operations) * dice.logUniform(2, 20);
    return around(scale, dice, () => (dice.uniform(0, 1) < share ? size * dice.uniform(0, 1) : 0));
  },
  'sampled, all new': (scale, _operations, dice) => {
    // The objects of a family are replaced in every round, so each estimate errs anew.
    const rate = dice.pick(SAMPLING_BYTES);
    const live = rate * dice.logUniform(0.5, 50);
    return {
      ...around({ ...scale, noise: 0, level: 0 }, dice, () => sampled(live, rate, dice)),
      errorOf: level => Math.sqrt(level * rate),
    };
  },
};

/** What grows with time is no leak per operation, however fast it is. */
export const OVER_TIME: Readonly<Record<string, Make>> = {
  'per hour': (scale, operations, dice) => {
    const perRound = scale.budget * operations * dice.logUniform(3, 100);
    return { ...around(scale, dice, (_, all) => perRound * all), isOverTime: true };
  },
};

export const LEAKS: Readonly<Record<string, (times: number) => Make>> = {
  'each operation': times => (scale, operations, dice) => {
    const rate = times * scale.budget;
    return { ...around(scale, dice, round => rate * operations * round), perOperation: rate };
  },
  'some operations': times => (scale, operations, dice) => {
    const rate = times * scale.budget;
    const unit = scale.name === 'goroutines' ? 1 : 16_384;
    const left = addedUp(() => unit * dice.poisson((rate * operations) / unit));
    return { ...around(scale, dice, left), perOperation: rate };
  },
  'after a warm-up': times => (scale, operations, dice) => {
    const rate = times * scale.budget;
    const size = rate * operations * dice.logUniform(1, 20);
    const rounds = dice.uniform(0.5, 2);
    const level = (round: number): number => rate * operations * round + size * (1 - Math.exp(-round / rounds));
    return { ...around(scale, dice, level), perOperation: rate };
  },
};

/** Only of heap families: what is left behind is seen through samples. */
export const SAMPLED_LEAK =
  (times: number): Make =>
  (scale, operations, dice) => {
    const rate = dice.pick(SAMPLING_BYTES);
    const each = times * scale.budget;
    let seen = 0;
    let rounds = 0;
    return {
      ...around({ ...scale, noise: 0, level: 0 }, dice, round => {
        if (round > rounds) seen += sampled(each * operations, rate, dice);
        rounds = round;
        return seen;
      }),
      perOperation: each,
      errorOf: level => Math.sqrt(Math.max(level, rate) * rate),
    };
  };

/** What rounds with operations left behind so far. */
function addedUp(step: () => number): (round: number) => number {
  let sum = 0;
  let rounds = 0;
  return round => {
    for (; rounds < round; rounds++) sum += step();
    return sum;
  };
}

/** Rounds count from 1: those with operations, and all. */
function around(
  scale: Scale,
  dice: Dice,
  at: (round: number, all: number) => number,
): Omit<Run, 'kind' | 'operations'> {
  let round = 0;
  let all = 0;
  const seen = (level: number): number => {
    const value = scale.level + level + scale.noise * dice.normal();
    return scale.name === 'goroutines' ? Math.round(value) : value;
  };
  return { perOperation: 0, before: seen(0), next: isIdle => seen(at((round += isIdle === true ? 0 : 1), ++all)) };
}
