/**
 * Goroutines of one stack, by how they arrive and leave. Times are in minutes since the process started; only
 * goroutines alive at the end are drawn.
 */
import type { Dice } from '../../detect/simulate/dice.ts';

export interface Alive {
  readonly bornAt: number;
  /** When the wait shown in the dump began. */
  readonly waitsSince: number;
}

export interface Population {
  readonly kind: string;
  readonly isLeak: boolean;
  /** Goroutines per hour that never end. */
  readonly leakPerHour: number;
  readonly alive: readonly Alive[];
  /** The wait reason in the dump. */
  readonly state: string;
  /** Goroutines per minute that started and ended: they use up ids. */
  readonly othersPerMinute: number;
  /** Average lifetime in a queue. */
  readonly lifetimeMinutes?: number;
}

export const PEER_STATES = ['chan send', 'chan receive', 'select', 'sync.Mutex.Lock', 'sync.WaitGroup.Wait'] as const;

/** Upper bound of a family's size, to keep drawing fast. */
const MOST = 4000;

const first = (minute: number): Alive => ({ bornAt: minute, waitsSince: minute });

/** Most of a queue's arrivals have left by the end, so they are numbers, not objects. */
function arrivals(perMinute: number, from: number, to: number, dice: Dice): Float64Array {
  const times = new Float64Array(dice.poisson(perMinute * Math.max(0, to - from)));
  for (let i = 0; i < times.length; i++) times[i] = dice.uniform(from, to);
  return times;
}

function steady(perMinute: number, from: number, to: number, dice: Dice): Alive[] {
  return Array.from(arrivals(perMinute, from, to, dice), first);
}

/** Arrivals at a steady rate that leave after a lifetime, given the share that remains after `age`. */
function queue(perMinute: number, endMinutes: number, survives: (age: number) => number, dice: Dice): Alive[] {
  const arrived = arrivals(perMinute, 0, endMinutes, dice);
  return Array.from(
    arrived.filter(bornAt => dice.chance(survives(endMinutes - bornAt))),
    first,
  );
}

function rateFor(wanted: number, minutes: number): number {
  return wanted / Math.max(minutes, 1e-3);
}

function healthy(
  kind: string,
  alive: Alive[],
  state: string,
  othersPerMinute = 0,
  lifetimeMinutes?: number,
): Population {
  const all = { kind, isLeak: false, leakPerHour: 0, alive, state, othersPerMinute };
  return lifetimeMinutes === undefined ? all : { ...all, lifetimeMinutes };
}

/** The size of a family that is large enough to be seen. */
function size(dice: Dice): number {
  return dice.logUniform(30, MOST);
}

/** A queue holds as many as arrive in a lifetime, but no more than arrive in the life of the process. */
function queuePopulation(
  kind: string,
  lifetime: number,
  survives: (age: number) => number,
  endMinutes: number,
  dice: Dice,
): Population {
  // Draws at most a few hundred thousand arrivals.
  const perMinute = Math.min(rateFor(size(dice), Math.min(lifetime, endMinutes)), 3e5 / endMinutes);
  return healthy(kind, queue(perMinute, endMinutes, survives, dice), dice.pick(PEER_STATES), perMinute, lifetime);
}

type Maker = (endMinutes: number, dice: Dice) => Population;

export const HEALTHY: Readonly<Record<string, Maker>> = {
  /** M/M/inf: lifetimes from seconds to hours. */
  'queue, random lifetimes': (end, dice) => {
    const lifetime = dice.logUniform(0.05, 120);
    return queuePopulation('queue, random lifetimes', lifetime, age => Math.exp(-age / lifetime), end, dice);
  },
  /** Most leave soon, few late: lognormal lifetimes. */
  'queue, uneven lifetimes': (end, dice) => {
    const median = dice.logUniform(0.05, 20);
    const spread = dice.uniform(0.5, 1.5);
    const survives = (age: number): number => 0.5 * erfc(Math.log(age / median) / spread / Math.SQRT2);
    return queuePopulation('queue, uneven lifetimes', median * Math.exp(spread ** 2 / 2), survives, end, dice);
  },
  /** Every one leaves at the same age, as by a timeout; only waits that a timer can end. */
  'queue, one timeout': (end, dice) => {
    const timeout = dice.pick([0.5, 1, 2, 5, 10, 15, 30, 60]);
    const made = queuePopulation('queue, one timeout', timeout, age => Number(age < timeout), end, dice);
    return { ...made, state: dice.pick(['select', 'chan receive']) };
  },
  'idle pool': (end, dice) =>
    healthy(
      'idle pool',
      Array.from({ length: size(dice) }, () => first(dice.uniform(0, Math.min(0.2, end)))),
      'chan receive',
    ),
  /** Grows when all are busy, so ever less often. The least used wait for a long time. */
  'pool that grows to a bound': (end, dice) => {
    const bound = Math.round(size(dice));
    const halfway = dice.logUniform(0.5, end / 3);
    const alive: Alive[] = [];
    for (let at = 0, have = 0; have < bound; have++) {
      at += dice.exponential(halfway / Math.LN2 / (bound - have));
      if (at >= end) break;
      alive.push(first(at));
    }
    return healthy('pool that grows to a bound', alive, dice.pick(['chan receive', 'select', 'sync.Cond.Wait']));
  },
  burst: (end, dice) => {
    const at = dice.uniform(0, end);
    return healthy(
      'burst',
      Array.from({ length: size(dice) }, () => first(Math.min(end, at + dice.uniform(0, 0.05)))),
      'chan receive',
    );
  },
  'a few bursts': (end, dice) => {
    const alive = Array.from({ length: dice.integer(2, 4) }, () => {
      const at = dice.uniform(0, end);
      return Array.from({ length: Math.ceil(size(dice) / 3) }, () => first(Math.min(end, at + dice.uniform(0, 0.05))));
    });
    return healthy('a few bursts', alive.flat(), dice.pick(PEER_STATES));
  },
  /** Arrived for a while, then no more. */
  stopped: (end, dice) => {
    const from = dice.uniform(0, end / 2);
    const to = dice.uniform(from, from + (end - from) * 0.7);
    return healthy('stopped', steady(rateFor(size(dice), to - from), from, to, dice), dice.pick(PEER_STATES));
  },
  /** Loops woken by a timer: the wait is anywhere in the period, the goroutine is as old as the process. */
  'periodic loops': (end, dice) => {
    const period = dice.logUniform(0.1, Math.min(600, end));
    const alive = Array.from({ length: size(dice) }, () => ({
      bornAt: dice.uniform(0, Math.min(0.5, end)),
      waitsSince: end - dice.uniform(0, period),
    }));
    return healthy('periodic loops', alive, 'select');
  },
  /** Workers that get work at random times. */
  'busy workers': (end, dice) => {
    const between = dice.logUniform(0.05, 60);
    const alive = Array.from({ length: size(dice) }, () => {
      const bornAt = dice.uniform(0, Math.min(0.5, end));
      return { bornAt, waitsSince: Math.max(bornAt, end - dice.exponential(between)) };
    });
    return healthy('busy workers', alive, dice.pick(['chan receive', 'select', 'sync.Cond.Wait']));
  },
  /** Long-lived, started at a steady rate, woken occasionally. */
  'sessions that talk': (end, dice) => {
    const between = dice.logUniform(0.05, 5);
    const lifetime = dice.logUniform(5, 600);
    const made = queuePopulation('sessions that talk', lifetime, age => Math.exp(-age / lifetime), end, dice);
    const alive = made.alive.map(({ bornAt }) => ({
      bornAt,
      waitsSince: Math.max(bornAt, end - dice.exponential(between)),
    }));
    return { ...made, alive };
  },
};

/** Arrive at a steady rate and stay, but wait for the other side of a connection. */
export const CLIENTS: Maker = (end, dice) =>
  healthy('clients that stay', steady(rateFor(size(dice), end), 0, end, dice), 'IO wait');

function leak(kind: string, alive: Alive[], perMinute: number, dice: Dice, othersPerMinute = 0): Population {
  return { kind, isLeak: true, leakPerHour: perMinute * 60, alive, state: dice.pick(PEER_STATES), othersPerMinute };
}

export const LEAKS: Readonly<Record<string, Maker>> = {
  'since the start': (end, dice) => {
    const perMinute = rateFor(size(dice), end);
    return leak('since the start', steady(perMinute, 0, end, dice), perMinute, dice);
  },
  'since an onset': (end, dice) => {
    const from = dice.uniform(0.1, 0.6) * end;
    const perMinute = rateFor(size(dice), end - from);
    return leak('since an onset', steady(perMinute, from, end, dice), perMinute, dice);
  },
  /** Nine of ten leave. */
  'one in ten stays': (end, dice) => {
    const perMinute = rateFor(size(dice), end);
    const lifetime = dice.logUniform(0.1, Math.max(0.2, end / 8));
    const others = queue(perMinute * 9, end, age => Math.exp(-age / lifetime), dice);
    return leak('one in ten stays', [...steady(perMinute, 0, end, dice), ...others], perMinute, dice, perMinute * 9);
  },
  'beside an idle pool': (end, dice) => {
    const perMinute = rateFor(size(dice), end);
    const pool = Array.from({ length: size(dice) }, () => first(dice.uniform(0, 0.2)));
    return leak('beside an idle pool', [...steady(perMinute, 0, end, dice), ...pool], perMinute, dice);
  },
  /** Several at once. */
  'in batches': (end, dice) => {
    const batch = dice.integer(2, 10);
    const perMinute = rateFor(size(dice), end);
    const starts = steady(perMinute / batch, 0, end, dice);
    const alive = starts.flatMap(({ bornAt }) => Array.from({ length: batch }, () => first(bornAt)));
    return leak('in batches', alive, perMinute, dice);
  },
  /** With the load, which rises and falls. */
  'with the load': (end, dice) => {
    const perMinute = rateFor(size(dice), end);
    const period = dice.logUniform(Math.min(20, end), 1440);
    const depth = dice.uniform(0.1, 0.6);
    const phase = dice.uniform(0, 2 * Math.PI);
    const alive = steady(perMinute * (1 + depth), 0, end, dice).filter(({ bornAt }) =>
      dice.chance((1 + depth * Math.sin((2 * Math.PI * bornAt) / period + phase)) / (1 + depth)),
    );
    return leak('with the load', alive, alive.length / end, dice);
  },
};

/** Complementary error function, to 1.2e-7 (Numerical Recipes' rational fit). */
function erfc(x: number): number {
  const t = 1 / (1 + 0.5 * Math.abs(x));
  const poly = [
    1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277,
  ];
  const sum = poly.reduceRight((total, coefficient) => total * t + coefficient, 0);
  const value = t * Math.exp(-x * x - 1.26551223 + t * sum);
  return x >= 0 ? value : 2 - value;
}
