/**
 * What grows while nothing is done: over time, not per operation.
 *
 *     level    100   150   200 | 200   201   200     idle rounds: it grows per operation
 *     level    100   150   200 | 250   300   350     it grows over time
 *     level    100   150   200 | 140   100   100     it goes away later
 */
import { judgeGrowth } from './judge-growth.ts';
import {
  type GateDecision,
  type GateFamily,
  type GateInterval,
  type GateMeasure,
  type GateResource,
  GATE_RULES,
  isLeak,
} from './gate.ts';
import { type Budget, hourlyBudgetOf } from './budget.ts';
import type { JudgedRounds } from './judge-rounds.ts';
import { levelOfFamily } from './series.ts';
import type { RoundState } from './take-round.ts';

export interface IdleInput {
  /** The first is that after the last operations. */
  readonly idle: readonly RoundState[];
  /** During the rounds of operations. */
  readonly operations: number;
  readonly seconds: number;
  readonly budget: Budget;
}

export interface IdleAnswer {
  readonly measures: readonly GateMeasure[];
  readonly families: readonly GateFamily[];
  readonly growsWhenIdle: boolean;
  /** What falls while nothing is done, a resource or a family: it goes away later, but not within `--settle`. */
  readonly falling: readonly string[];
  /** More idle rounds would not tell more. */
  readonly isClear: boolean;
}

/** Growth without operations, as a share of that with them, from which it is growth over time. */
const IDLE_SHARE = 0.5;
/** A fall without operations, as a share of all growth, from which nothing was left behind for good. */
const FALLEN_SHARE = 0.25;
/** The share of a level that the difference of two must exceed. */
const SURE_DEVIATIONS = 3.5;
const HOUR_SECONDS = 3600;
const MILLISECONDS = 1000;

export function judgeIdle(judged: JudgedRounds, input: IdleInput): IdleAnswer {
  let isClear = true;
  let growsWhenIdle = false;
  const falling: string[] = [];
  const hourly: GateMeasure[] = [];
  const perHour = HOUR_SECONDS / Math.max(1, input.seconds);
  const operationsPerHour = input.operations * perHour;
  const measures = judged.measures.map((measure): GateMeasure => {
    const levels = levelsOf(input.idle, measure.resource);
    if (measure.scope !== null || levels === undefined) return measure;
    const { resource } = measure;
    const allowed = hourlyBudgetOf(input.budget, resource);
    const noise = Math.max(judged.deviations.get(resource) ?? 0, GATE_RULES.levelNoise[resource]);
    const rate = allowed === undefined ? roughRate(levels, noise, input) : judgedRate(levels, resource, allowed, input);
    if (allowed !== undefined) {
      isClear &&= rate.decision !== 'undecided';
      hourly.push({ ...measure, ...rate, per: 'hour', budget: allowed, levels });
    }
    if (measure.decision !== 'leaks' || measure.growth === null) return measure;
    const told = withoutOperations(measure.growth, measure.levels, levels, rate.growth, operationsPerHour);
    isClear &&= told !== 'unclear';
    if (told === 'falls') falling.push(resource);
    if (told === 'per operation' || rate.growth === null) return measure;
    if (told !== 'over time') return { ...measure, decision: 'undecided' };
    growsWhenIdle = true;
    if (allowed === undefined)
      hourly.push({ ...measure, ...rate, decision: 'over time', per: 'hour', budget: null, levels });
    const growth = beyond(measure.growth, rate.growth, operationsPerHour);
    return { ...measure, growth, decision: decided(growth, measure.budget ?? 0) };
  });
  const families = judged.families.map((one): GateFamily => {
    const levels = familyLevels(input.idle, one);
    const during = judged.levelsOfFamilies.get(one.family);
    if (!isLeak(one) || one.growth === null || levels === undefined || during === undefined) return one;
    const rate = roughRate(levels, during.noise, input);
    const told = withoutOperations(one.growth, during.levels, levels, rate.growth, operationsPerHour);
    isClear &&= told !== 'unclear';
    if (told === 'falls') falling.push(one.title);
    if (told === 'per operation') return one;
    if (told !== 'over time' || rate.growth === null) return { ...one, decision: 'undecided' };
    growsWhenIdle = true;
    return { ...one, decision: 'over time', per: 'hour', growth: rate.growth, budget: null };
  });
  return { measures: [...measures, ...hourly], families, growsWhenIdle, falling: [...new Set(falling)], isClear };
}

type WithoutOperations = 'per operation' | 'over time' | 'falls' | 'unclear';

/** How growth goes on without operations. */
function withoutOperations(
  growth: GateInterval,
  during: readonly number[],
  idle: readonly number[],
  perHour: GateInterval | null,
  operationsPerHour: number,
): WithoutOperations {
  if (perHour === null) return 'unclear';
  if (hasFallen(idle, during)) return 'falls';
  const [low, middle, high] = perHour;
  const threshold = IDLE_SHARE * growth[1] * operationsPerHour;
  if (high < threshold) return 'per operation';
  // Too wide an interval says nothing: it may be either.
  return low > 0 && middle >= threshold ? 'over time' : 'unclear';
}

/** What operations add to growth over time, per operation. */
function beyond(growth: GateInterval, perHour: GateInterval, operationsPerHour: number): GateInterval {
  const [low, middle, high] = perHour;
  return [
    growth[0] - high / operationsPerHour,
    growth[1] - middle / operationsPerHour,
    growth[2] - low / operationsPerHour,
  ];
}

/** What is left of growth that time explains: it counts only if operations surely add to it. */
function decided([low, , high]: GateInterval, budget: number): GateDecision {
  return low > budget ? 'leaks' : high < budget ? 'within' : 'over time';
}

function levelsOf(states: readonly RoundState[], resource: GateResource): readonly number[] | undefined {
  const levels = states.flatMap(state => state.levels[resource] ?? []);
  return levels.length === states.length && levels.length > 1 ? levels : undefined;
}

function familyLevels(states: readonly RoundState[], { family, resource }: GateFamily): readonly number[] | undefined {
  const levels = states.flatMap(state => {
    const table = state[resource];
    return table === undefined ? [] : [levelOfFamily(table, family)];
  });
  return levels.length === states.length && levels.length > 1 ? levels : undefined;
}

type Rate = Pick<GateMeasure, 'growth' | 'decision'>;

/** From the first level to the last, as far as levels are known: a few idle rounds show a large rate, more a small one. */
function roughRate(levels: readonly number[], noise: number, { idle }: IdleInput): Rate {
  const hours = ((idle.at(-1)?.takenAtSeconds ?? NaN) - (idle[0]?.takenAtSeconds ?? NaN)) / HOUR_SECONDS;
  const grown = (levels.at(-1) ?? NaN) - (levels[0] ?? NaN);
  const margin = SURE_DEVIATIONS * Math.SQRT2 * noise;
  if (!(hours > 0)) return { growth: null, decision: 'undecided' };
  return { growth: [(grown - margin) / hours, grown / hours, (grown + margin) / hours], decision: 'undecided' };
}

/** With an interval that may be looked at after every round, for a budget per hour. */
function judgedRate(
  levels: readonly number[],
  resource: GateResource,
  budgetPerHour: number,
  { idle }: IdleInput,
): Rate {
  const perHour = HOUR_SECONDS * MILLISECONDS;
  const rounds = levels.slice(1).map((level, i) => ({
    operations: ((idle[i + 1]?.takenAtSeconds ?? NaN) - (idle[i]?.takenAtSeconds ?? NaN)) * MILLISECONDS,
    level,
  }));
  const rule = {
    budget: budgetPerHour / perHour,
    alpha: GATE_RULES.alpha,
    levelNoise: GATE_RULES.levelNoise[resource],
  };
  const { decision, perOperation } = judgeGrowth(levels[0] ?? NaN, rounds, rule);
  const [low, middle, high] = perOperation;
  return { decision, growth: Number.isFinite(low) ? [low * perHour, middle * perHour, high * perHour] : null };
}

function hasFallen(idle: readonly number[], during: readonly number[]): boolean {
  const grown = (during.at(-1) ?? NaN) - (during[0] ?? NaN);
  return (idle[0] ?? NaN) - (idle.at(-1) ?? NaN) > FALLEN_SHARE * grown;
}
