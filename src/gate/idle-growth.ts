/**
 * What grows while nothing is done: over time, not per operation.
 *
 *     level    100   150   200 | 200   201   200     idle rounds: it grows per operation
 *     level    100   150   200 | 250   300   350     it grows over time
 *     level    100   150   200 | 140   100   100     it goes away later
 */
import { judgeGrowth } from './judge-growth.ts';
import { type GateFamily, type GateInterval, type GateMeasure, type GateResource, GATE_RULES } from './gate.ts';
import { type Budget, hourlyBudgetOf } from './budget.ts';
import type { JudgedRounds } from './judge-rounds.ts';
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
  /** Resources that fall while nothing is done: what was left behind goes away, but not within `--settle`. */
  readonly falling: readonly GateResource[];
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
  const overTime: GateResource[] = [];
  const falling: GateResource[] = [];
  const hourly: GateMeasure[] = [];
  const measures = judged.measures.map((measure): GateMeasure => {
    const levels = levelsOf(input.idle, measure.resource);
    if (measure.scope !== null || levels === undefined) return measure;
    const allowed = hourlyBudgetOf(input.budget, measure.resource);
    const perHour =
      allowed === undefined
        ? roughRate(levels, measure, judged, input)
        : judgedRate(levels, measure.resource, allowed, input);
    if (allowed !== undefined) {
      isClear &&= perHour.decision !== 'undecided';
      hourly.push({ ...measure, ...perHour, per: 'hour', budget: allowed, levels });
    }
    if (measure.decision !== 'leaks' || measure.growth === null || perHour.growth === null) return measure;
    if (hasFallen(levels, measure.levels)) {
      falling.push(measure.resource);
      return { ...measure, decision: 'undecided' };
    }
    const hoursPerOperation = input.seconds / HOUR_SECONDS / Math.max(1, input.operations);
    const [low, middle, high] = perHour.growth;
    const threshold = (IDLE_SHARE * measure.growth[1]) / hoursPerOperation;
    if (low <= threshold && threshold <= high) isClear = false;
    if (middle < threshold) return measure;
    overTime.push(measure.resource);
    if (allowed === undefined)
      hourly.push({ ...measure, ...perHour, decision: 'leaks', per: 'hour', budget: null, levels });
    const rest: GateInterval = [
      measure.growth[0] - high * hoursPerOperation,
      measure.growth[1] - middle * hoursPerOperation,
      measure.growth[2] - low * hoursPerOperation,
    ];
    const decision =
      rest[0] > (measure.budget ?? 0) ? 'leaks' : rest[2] < (measure.budget ?? 0) ? 'within' : 'undecided';
    return { ...measure, growth: rest, decision };
  });
  const perHour = input.operations / (Math.max(1, input.seconds) / HOUR_SECONDS);
  const families = judged.families.map((one): GateFamily => {
    if (!overTime.includes(one.resource) || one.growth === null) return one;
    const [low, middle, high] = one.growth;
    return { ...one, per: 'hour', growth: [low * perHour, middle * perHour, high * perHour], budget: null };
  });
  return { measures: [...measures, ...hourly], families, growsWhenIdle: overTime.length > 0, falling, isClear };
}

function levelsOf(states: readonly RoundState[], resource: GateResource): readonly number[] | undefined {
  const levels = states.flatMap(state => state.levels[resource] ?? []);
  return levels.length === states.length && levels.length > 1 ? levels : undefined;
}

type Rate = Pick<GateMeasure, 'growth' | 'decision'>;

/** From the first level to the last, as far as levels are known: a few idle rounds show a large rate, more a small one. */
function roughRate(
  levels: readonly number[],
  { resource }: GateMeasure,
  { deviations }: JudgedRounds,
  { idle }: IdleInput,
): Rate {
  const hours = ((idle.at(-1)?.takenAtSeconds ?? NaN) - (idle[0]?.takenAtSeconds ?? NaN)) / HOUR_SECONDS;
  const grown = (levels.at(-1) ?? NaN) - (levels[0] ?? NaN);
  const margin =
    SURE_DEVIATIONS * Math.SQRT2 * Math.max(deviations.get(resource) ?? 0, GATE_RULES.levelNoise[resource]);
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
