/** Judges what rounds of operations left behind: each resource as a whole, each group of a budget, and each family. */
import { judgeGrowth, type JudgedGrowth } from './judge-growth.ts';
import { judgeSteps } from './judge-steps.ts';
import { GATE_RESOURCES, type GateFamily, type GateGrowth, type GateMeasure, type GateResource } from './gate.ts';
import { causeOfCount, matchesOf } from '../judge/process/finding.ts';
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
import { GATE_RULES } from './gate-rules.ts';
import { culpritGrowth, holdsDescriptors, type KnownLeakage } from './name-culprits.ts';
import type { FamilyResource, FamilySeries, GateSeries } from './series.ts';

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
  readonly warmUpRounds: number;
  readonly operationsNeeded: number | undefined;
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
  return { measures: [...measures, ...groups], families, deviations, warmUpRounds, operationsNeeded };
}

function measureOf(
  judged: JudgedGrowth,
  resource: GateResource,
  levels: readonly number[],
  budget: number,
  scope: string | null,
): GateMeasure {
  const unit = resource === 'heap' ? 'bytes' : 'count';
  return { ...growthOf(judged, budget), resource, scope, unit, levels };
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

export function growthOf({ decision, perOperation }: JudgedGrowth, budget: number): GateGrowth {
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
  const grown = all.flatMap(one => {
    const { count, levels } = one;
    if (resource === 'heap' && OF_THE_RUNTIME.has(causeOfCount(count)?.id ?? '')) return [];
    const isKnown = isKnownLeak(count, options);
    const budget = familyBudget(options.budget, resource, count, isKnown);
    const noise =
      resource === 'heap' ? Math.max(GATE_RULES.levelNoise.heap, count.bytesError) : GATE_RULES.levelNoise.goroutines;
    const judged = judge(series, levels, budget, isKnown ? GATE_RULES.alpha : alphaOfMany, noise);
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
