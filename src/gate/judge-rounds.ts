/** Judges what rounds of operations left behind: each resource as a whole, each group of a budget, and each family. */
import { judgeGrowth, type JudgedGrowth, type GrowthRule, type Round, criticalT } from './judge-growth.ts';
import {
  GATE_RESOURCES,
  type GateFamily,
  type GateGrowth,
  type GateMeasure,
  type GateResource,
  type GateInterval,
  GATE_RULES,
  unitOf,
} from './gate.ts';
import { causeOfCount, lifetimeOfCount, matchesOf } from '../judge/process/finding.ts';
import type { Product } from '../knowledge/records.ts';
import { productOfFrames } from '../knowledge/product.ts';
import type { FamilyCount } from '../profile/families/family.ts';
import { movedFrom } from './baseline.ts';
import {
  type Budget,
  budgetOf,
  exceptionFor,
  exceptionForAll,
  exceptionText,
  familyBudget,
  groupRows,
  scopeText,
} from './budget.ts';
import { describeFamily, type DescribeOptions } from './describe-family.ts';
import type { FamilyResource, FamilySeries, GateSeries } from './series.ts';

/**
 * Whether each operation leaves something behind, from rounds that do not share a process: each step has its own noise,
 * so the mean of the steps is the growth. For levels of one process, judge-growth.ts knows more.
 */
const STRETCHES = 3;

const MAX_STEPS = 2000;

/**
 * Which families a known leak is in. That something leaks is decided by its total; a family only has to grow clearly
 * more than its samples can err, and to be a good part of the growth. The warm-up counts here: what leaks did so then.
 */
const MIN_SHARE = 0.1;

/** Where only the number of objects or descriptors is known to grow, not the bytes. */
const MIN_SHARE_OF_FAMILIES = 0.25;

const SURE_DEVIATIONS = 2.5;

/** Where the runtime and the standard library make something that holds a descriptor. */
const OPENERS = /^(?:os\.(?:newFile|NewFile|newProcess)|net\.newFD|net\.\(\*netFD\)|net\.\(\*sysDialer\))/;

export interface JudgeOptions extends DescribeOptions {
  readonly budget: Budget;
  /** `2026-11-17` */
  readonly today: string;
}

export interface JudgedRounds {
  readonly measures: readonly GateMeasure[];
  readonly families: readonly GateFamily[];
  /** How far single levels of a resource are from the line through them. */
  readonly deviations: ReadonlyMap<GateResource, number>;
  /** By the id of each family that leaks: before the first round and after each, and how well they are known. */
  readonly levelsOfFamilies: ReadonlyMap<string, { readonly levels: readonly number[]; readonly noise: number }>;
  readonly warmUpRounds: number;
  readonly operationsNeeded: number | undefined;
  /** Why memory that grows is not called a leak: `etcd keeps every revision of its keys until they are compacted`. */
  readonly keeps?: string | undefined;
}

export function judgeRounds(series: GateSeries, options: JudgeOptions): JudgedRounds {
  let warmUpRounds = 0;
  let operationsNeeded: number | undefined;
  const deviations = new Map<GateResource, number>();
  const follow = (judged: JudgedGrowth): void => {
    warmUpRounds = Math.max(warmUpRounds, judged.warmUpRounds);
    if (judged.decision === 'undecided')
      operationsNeeded = Math.max(operationsNeeded ?? 0, judged.operationsNeeded ?? Infinity);
  };
  const measures = GATE_RESOURCES.flatMap((resource): GateMeasure[] => {
    const all = series.levels.get(resource);
    if (all === undefined || exceptionForAll(options.budget, resource, options.today) !== undefined) return [];
    const levels = withoutExcepted(all, resource, series, options);
    const budget = budgetOf(options.budget, resource) + withGoroutines(resource, series, options);
    const judged = judge(series, levels, budget, GATE_RULES.alpha, GATE_RULES.levelNoise[resource]);
    deviations.set(resource, judged.deviation);
    follow(judged);
    return [measureOf(judged, resource, levels, budget, null)];
  });
  const groups = groupRows(options.budget).flatMap((row): GateMeasure[] => {
    const { resource } = row;
    if (resource !== 'goroutines' && resource !== 'heap') return [];
    const levels = series.inScope(resource, row);
    const judged = judge(series, levels, row.max, GATE_RULES.alpha, GATE_RULES.levelNoise[resource]);
    follow(judged);
    return [measureOf(judged, resource, levels, row.max, scopeText(row))];
  });
  const leaking = new Map(measures.filter(one => one.decision === 'leaks').map(one => [one.resource, one]));
  const families = (['goroutines', 'heap'] as const).flatMap(resource =>
    familiesOf(series, resource, options, leaking),
  );
  const levelsOfFamilies = new Map(
    (['goroutines', 'heap'] as const).flatMap(resource =>
      series.families[resource]
        .filter(({ count }) => families.some(({ family }) => family === count.family.id))
        .map(({ count, levels }) => [count.family.id, { levels, noise: noiseOf(resource, count) }] as const),
    ),
  );
  const keeper = storeIn(series);
  const kept = keeper === undefined ? [] : measures.filter(one => isKept(one, families, options.budget));
  const decided = measures.map(one => (kept.includes(one) ? { ...one, decision: 'undecided' as const } : one));
  return {
    measures: [...decided, ...groups],
    ...{ families, deviations, levelsOfFamilies, warmUpRounds, operationsNeeded },
    keeps: kept.length === 0 || keeper === undefined ? undefined : `${keeper.name} keeps ${keeper.keeps}`,
  };
}

/** A store that runs here: what operations leave in it may be its contents. */
function storeIn({ families }: GateSeries): Product | undefined {
  const product = productOfFrames(families.goroutines.flatMap(({ count }) => count.family.frames));
  return product === undefined || product.keeps === '' ? undefined : product;
}

/** Memory that no family accounts for, and nobody gave a budget for. */
function isKept({ resource, decision }: GateMeasure, families: readonly GateFamily[], { rows }: Budget): boolean {
  if ((resource !== 'heap' && resource !== 'objects') || decision !== 'leaks') return false;
  return families.length === 0 && !rows.some(row => row.resource === resource);
}

function measureOf(
  judged: JudgedGrowth,
  resource: GateResource,
  levels: readonly number[],
  budget: number,
  scope: string | null,
): GateMeasure {
  return { ...growthOf(judged, budget), resource, scope, unit: unitOf(resource), levels };
}

/** A goroutine keeps its descriptor (440 bytes) and usually a closure, a channel or a context. */
const WITH_A_GOROUTINE: Readonly<Partial<Record<GateResource, number>>> = { heap: 1024, objects: 8 };

/** What excepted goroutines may keep per operation: heap profiles do not say which goroutine holds what. */
function withGoroutines(
  resource: GateResource,
  series: GateSeries,
  { budget: { exceptions }, today }: JudgeOptions,
): number {
  const each = WITH_A_GOROUTINE[resource];
  if (each === undefined) return 0;
  const operations = series.operations.reduce((sum, one) => sum + one, 0);
  const grown = exceptions
    .filter(one => one.until >= today && scopeText(one) !== null)
    .map(one => series.inScope('goroutines', one))
    .reduce((sum, levels) => sum + Math.max(0, (levels.at(-1) ?? 0) - (levels[0] ?? 0)), 0);
  return (each * grown) / Math.max(1, operations);
}

/** What an exception covers does not count, so that other leaks of the resource are still seen. */
function withoutExcepted(
  levels: readonly number[],
  resource: GateResource,
  series: GateSeries,
  { budget: { exceptions }, today }: JudgeOptions,
): readonly number[] {
  if (resource !== 'goroutines' && resource !== 'heap') return levels;
  return exceptions
    .filter(one => one.until >= today && scopeText(one) !== null)
    .reduce((rest, one) => {
      const covered = series.inScope(resource, one);
      return rest.map((level, i) => level - (covered[i] ?? 0));
    }, levels);
}

function judge(
  series: GateSeries,
  levels: readonly number[],
  budget: number,
  alpha: number,
  levelNoise: number,
): JudgedGrowth {
  const rounds = series.operations.map((count, i) => ({ operations: count, level: levels[i + 1] ?? NaN }));
  const rule = { budget, alpha, levelNoise };
  return series.hasOwnSteps ? judgeSteps(levels[0] ?? NaN, rounds, rule) : judgeGrowth(levels[0] ?? NaN, rounds, rule);
}

function growthOf({ decision, perOperation }: JudgedGrowth, budget: number): GateGrowth {
  return { decision, per: 'operation', growth: Number.isFinite(perOperation[0]) ? perOperation : null, budget };
}

/** Causes of heap that no code of the program keeps: a goroutine brings its descriptor, each new stack a line in the profile. */
const OF_THE_RUNTIME: ReadonlySet<string> = new Set(['goroutine-descriptors', 'profiler-tables']);

/**
 * Those that leak, the largest growth first. Many families are many chances to be wrong, unless the resource as a whole
 * is known to leak, when the question is only which of them, or the family is a known leak of this version.
 */
function familiesOf(
  series: GateSeries,
  resource: FamilyResource,
  options: JudgeOptions,
  leaking: ReadonlyMap<GateResource, GateMeasure>,
): GateFamily[] {
  const all = series.families[resource];
  const alphaOfMany = GATE_RULES.alpha / (leaking.has(resource) ? 1 : Math.max(1, all.length));
  const isStore = storeIn(series) !== undefined;
  const grown = all.flatMap(one => {
    const { count, levels } = one;
    // Known by name, with the bound up to which it fills.
    if (isStore && (lifetimeOfCount(count)?.fillsTo ?? '') !== '') return [];
    if (resource === 'heap' && OF_THE_RUNTIME.has(causeOfCount(count)?.id ?? '')) return [];
    const isKnown = isKnownLeak(count, options);
    const budget = familyBudget(options.budget, resource, count, isKnown);
    const judged = judge(series, levels, budget, isKnown ? GATE_RULES.alpha : alphaOfMany, noiseOf(resource, count));
    if (judged.decision === 'leaks') return [{ count, growth: growthOf(judged, budget) }];
    const known = leakageOf(one, resource, leaking);
    const growth = known === undefined ? undefined : culpritGrowth(one, all, series.operations, known);
    if (growth === undefined || (leaking.has(resource) && growth[1] < budget)) return [];
    return [{ count, growth: { decision: 'leaks', per: 'operation', growth, budget } as const }];
  });
  const { baseline } = options.budget;
  const grows = (family: string): boolean => grown.some(one => one.count.family.id === family);
  const found = grown.map(({ count, growth }): GateFamily => {
    const exception = exceptionFor(options.budget, count, options.today);
    const moved = movedFrom(baseline, { resource, growth: growth.growth }, grows);
    const why =
      exception !== undefined
        ? exceptionText(exception)
        : moved === undefined
          ? null
          : `as fast as ${moved.family} (${moved.title}) of the baseline, which is gone`;
    return { ...growth, ...describeFamily(count, resource, options), exception: why };
  });
  return found.sort((a, b) => (b.growth?.[1] ?? 0) - (a.growth?.[1] ?? 0));
}

/** A level of a family is not known better than this. */
function noiseOf(resource: FamilyResource, { bytesError }: FamilyCount): number {
  return resource === 'heap' ? Math.max(GATE_RULES.levelNoise.heap, bytesError) : GATE_RULES.levelNoise.goroutines;
}

function isKnownLeak(count: FamilyCount, { facts, catalogue }: DescribeOptions): boolean {
  return matchesOf(count, true, facts, catalogue).some(
    ({ grade, affected }) => grade === 'confirmed' && affected === 'affected',
  );
}

/** What a family may be part of: the leak of its resource; for heap, also one of objects or of descriptors. */
function leakageOf(
  one: FamilySeries,
  resource: FamilyResource,
  leaking: ReadonlyMap<GateResource, GateMeasure>,
): KnownLeakage | undefined {
  const own = leaking.get(resource)?.growth;
  if (own != null) return { perOperation: own[1], levelNoise: GATE_RULES.levelNoise[resource] };
  if (resource !== 'heap') return undefined;
  const isPart = leaking.has('objects') || (leaking.has('file descriptors') && holdsDescriptors(one));
  return isPart ? { perOperation: undefined, levelNoise: 0 } : undefined;
}

/** What leaks, as far as it concerns the families of one kind. */
interface KnownLeakage {
  /** The growth of the total, per operation; undefined if it is not known in the unit of the families. */
  readonly perOperation: number | undefined;
  /** A level is not known better than this. */
  readonly levelNoise: number;
}

/** Growth per operation of a family that is part of the leak; undefined if it is not, or not clearly. */
function culpritGrowth(
  one: FamilySeries,
  all: readonly FamilySeries[],
  operations: readonly number[],
  { perOperation, levelNoise }: KnownLeakage,
): GateInterval | undefined {
  const total = operations.reduce((sum, count) => sum + count, 0);
  const grown = grownBy(one);
  const deviation = Math.hypot(Math.SQRT2 * levelNoise, one.count.bytesError);
  const least =
    perOperation === undefined
      ? MIN_SHARE_OF_FAMILIES * all.reduce((sum, other) => sum + Math.max(0, grownBy(other)), 0)
      : MIN_SHARE * perOperation * total;
  if (!(total > 0) || grown <= 0 || grown < SURE_DEVIATIONS * deviation || grown < least) return undefined;
  const margin = SURE_DEVIATIONS * deviation;
  return [(grown - margin) / total, grown / total, (grown + margin) / total];
}

function grownBy({ levels }: FamilySeries): number {
  return (levels.at(-1) ?? NaN) - (levels[0] ?? NaN);
}

/** Whether what a heap family keeps holds file descriptors. */
function holdsDescriptors({ count }: FamilySeries): boolean {
  return count.family.frames.some(frame => OPENERS.test(frame));
}

function judgeSteps(before: number, rounds: readonly Round[], rule: GrowthRule): JudgedGrowth {
  const steps = rounds.map(
    ({ operations, level }, i) => (level - (rounds[i - 1]?.level ?? before)) / Math.max(1, operations),
  );
  const count = steps.length;
  const mean = meanOf(steps);
  const each = meanOf(rounds.map(({ operations }) => Math.max(1, operations)));
  // A step is a difference of two differences of levels.
  const least = (2 * rule.levelNoise) / each;
  const variance = steps.reduce((sum, step) => sum + (step - mean) ** 2, 0) / Math.max(1, count - 1);
  const deviation = Math.max(Math.sqrt(variance), least);
  const margin = count < 2 ? Infinity : (criticalT(count, count - 1, rule.alpha) * deviation) / Math.sqrt(count);
  const weakest = count < STRETCHES ? NaN : Math.min(...stretches(steps).map(meanOf));
  const isLeak = mean - margin > rule.budget && weakest > rule.budget;
  const decision = isLeak ? 'leaks' : mean + margin < rule.budget ? 'within' : 'undecided';
  return {
    decision,
    perOperation: [mean - margin, mean, mean + margin],
    warmUpRounds: 0,
    rounds: count,
    weakest,
    deviation: deviation * each,
    operationsNeeded:
      decision === 'undecided' ? needed(count, Math.abs(mean - rule.budget), deviation, each, rule) : undefined,
  };
}

function stretches(steps: readonly number[]): number[][] {
  const length = Math.floor(steps.length / STRETCHES);
  return Array.from({ length: STRETCHES }, (_, i) => {
    const end = steps.length - i * length;
    return steps.slice(end - length, end);
  });
}

/** As if the mean and the noise stayed as they are. */
function needed(
  now: number,
  distance: number,
  deviation: number,
  each: number,
  { alpha }: GrowthRule,
): number | undefined {
  for (let n = now + 1; n < MAX_STEPS; n = Math.ceil(n * 1.1)) {
    if ((criticalT(n, n - 1, alpha) * deviation) / Math.sqrt(n) < distance) return Math.ceil((n - now) * each);
  }
  return undefined;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
