/**
 * Every attribute value of a fleet against the targets that lack it, for every resource.
 *
 *     slopes per target and window -> contrasts -> chances -> false-discovery control -> rivals -> vetoes -> verdicts
 */
import { groupBy } from '../../base/group-by.ts';
import type { CohortVerdict } from './cohort-model.ts';
import type { Resource } from '../../evidence/resource.ts';
import { compareVerdicts } from '../verdict.ts';
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import type { EvaluationTime } from '../detect/slow/decide.ts';
import type { AttributeLog } from './attribute-log.ts';
import { attributeColumns, type AttributeColumn } from './cohort.ts';
import { growthBoard, podBoard, type Fleet, type PodBoard, fleetGrowth } from './growth-board.ts';
import { judgeCohort, type CohortSetting, type JudgedCohort } from './judge-cohort.ts';
import { settleRivals } from './settle-rivals.ts';
import { COHORT_TUNING } from './cohort-tuning.ts';
import { cohortVerdict } from './cohort-verdict.ts';

/**
 * How sure a verdict must be when many cohorts are compared, again and again.
 *
 * Over cohorts: Benjamini and Hochberg's procedure over every attribute, value and resource.
 *
 * Over time: only whole hours are judged. The time since a cohort began is cut into stretches, each twice as long as
 * the one before (4 to 8 h, 8 to 16 h ...) and of two weeks each once the record is full. Windows grow with the
 * cohort, so one stretch holds only a few windows that do not overlap: it counts as four looks. The n-th stretch may
 * spend 6/(pi^2 n^2) of the error, and these shares add up to 1. So the error holds however often and for however
 * long the cohorts are judged.
 */
const FIRST_HOURS = 4;

const RECORD_HOURS = 336;

const LOOKS = 4;

/** Targets that were proved to leak by themselves. */
export type Proved = (target: string, resource: Resource) => boolean;

export function evaluateCohorts(
  fleet: Fleet,
  log: AttributeLog,
  moment: EvaluationTime,
  isProved: Proved,
): CohortVerdict[] {
  for (const target of fleet) target.advance(moment.endBin);
  const firstBin = fleet.reduce((first, target) => Math.min(first, target.firstBin), moment.endBin);
  const parts = [...groupBy(fleet, target => kindOf(target, log)).values()].flatMap(alike =>
    judgeAlike(alike, log, moment, isProved),
  );
  const all = parts.flatMap(({ judged }) => judged);
  const rates = discoveryRates(
    all.map(one => Math.min(1, one.chance * looksFactor(moment.endBin - beganBin(one, firstBin)))),
  );
  const rateOf = new Map(all.map((one, i) => [one, rates[i]]));
  const verdicts = parts.flatMap(({ setting, pods, columns, judged }) => {
    const suspects = judged.filter(one => isSuspect(one, rateOf.get(one) ?? 1));
    const rivals = settleRivals(suspects, setting);
    return judged.map(one =>
      cohortVerdict(one, {
        setting,
        pods,
        fleet: setting.fleet,
        columns,
        log,
        chance: rateOf.get(one) ?? 1,
        rivals: rivals.get(one),
      }),
    );
  });
  return verdicts.sort(
    (a, b) => compareVerdicts(a.verdict, b.verdict) || a.chance - b.chance || b.targets - a.targets || byName(a, b),
  );
}

/** Like is compared with like: kubelets, which have pods, with kubelets, other programs with those of their job. */
function kindOf({ name, pods }: Fleet[number], log: AttributeLog): string {
  return pods === undefined ? (log.attributesOf(name)?.get('job')?.value ?? '') : 'kubelet';
}

/** One resource of targets of one kind. */
interface JudgedPart {
  readonly setting: CohortSetting;
  readonly pods: PodBoard;
  readonly columns: readonly AttributeColumn[];
  readonly judged: readonly JudgedCohort[];
}

function judgeAlike(fleet: Fleet, log: AttributeLog, moment: EvaluationTime, isProved: Proved): JudgedPart[] {
  const names = fleet.map(({ name }) => name);
  const columns = attributeColumns(log, names, moment.binSeconds);
  if (columns.length === 0) return [];
  const pods = podBoard(fleet, moment);
  const ageHours = Float64Array.from(
    fleet,
    ({ lifeBeganSeconds }) => moment.endBin - Math.floor(lifeBeganSeconds / moment.binSeconds),
  );
  return RESOURCE_RULES.flatMap((rule): JudgedPart[] => {
    if (!fleet.some(({ resources }) => resources.some(one => one.rule === rule))) return [];
    const board = growthBoard(rule, fleet, moment);
    const proved = names.flatMap((name, row) => (isProved(name, rule.resource) ? [row] : []));
    const setting = { moment, fleet, board, growth: fleetGrowth(board), ageHours, provedRows: new Set(proved) };
    const judged = columns.flatMap(column => column.cohorts.map(cohort => judgeCohort(column, cohort, setting)));
    return [{ setting, pods, columns, judged }];
  });
}

/** When there first was something to compare. */
function beganBin({ cohort }: JudgedCohort, firstBin: number): number {
  let first = Infinity;
  for (const since of cohort.sinceBins) first = Math.min(first, since);
  return first === -Infinity ? firstBin : first;
}

/** Whether it differs beyond chance. What does not amount to much yet may still explain what does. */
function isSuspect({ leakingRows, rows }: JudgedCohort, chance: number): boolean {
  return (
    leakingRows.length > 0 &&
    chance <= COHORT_TUNING.watch &&
    leakingRows.length >= COHORT_TUNING.leastLeaking * rows.length
  );
}

function byName(a: CohortVerdict, b: CohortVerdict): number {
  const [x, y] = [`${a.attribute}\0${a.value}\0${a.resource}`, `${b.attribute}\0${b.value}\0${b.resource}`];
  return x < y ? -1 : 1;
}

/** The factor on a chance for everything that was judged before and will be judged after. */
export function looksFactor(ageHours: number): number {
  const doublings = Math.max(0, Math.log2(Math.min(ageHours, RECORD_HOURS) / FIRST_HOURS));
  const afterwards = Math.max(0, ageHours - RECORD_HOURS) / RECORD_HOURS;
  const stretch = 1 + Math.floor(doublings) + Math.floor(afterwards);
  return (LOOKS * stretch * stretch * Math.PI ** 2) / 6;
}

/** The false-discovery rate at which each chance would pass: Benjamini and Hochberg's adjusted chances. */
export function discoveryRates(chances: readonly number[]): number[] {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b] - chances[a]);
  const rates = new Array<number>(chances.length);
  let least = 1;
  order.forEach((i, place) => {
    const rank = chances.length - place;
    least = Math.min(least, (chances[i] * chances.length) / rank);
    rates[i] = least;
  });
  return rates;
}
