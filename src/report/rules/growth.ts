/**
 * Growth that pods do not explain, and whether it is a trend.
 *
 *     floor1d ── growth1d ── unexplained1d ─┬─ rising1d    a day's growth that goes on       -> watch
 *      (minus what the new pods cost)       └─ steady3d    three days of it, each with its part  -> leak
 *
 * `rising1d` and `steady3d` exist only for processes that rise. A restart leaves a gap in growth1d until both days that
 * it compares are after the restart, so nothing is ever compared across one.
 */
import { effectOfPods } from './density.ts';
import { ageOf, daysAgo, recorded, RECORDING_INTERVAL } from './recorded.ts';
import { TREND_RULES } from './trend-rules.ts';
import type { RecordingRule, RuleGroup } from './rule.ts';
import type { Scope } from './scope.ts';
import { DAY_SECONDS, settledAge } from './windows.ts';

/** Each day's part of the growth of three days; an even third would be 0.33. */
const LEAST_PART_OF_DAY = 0.12;
/** The last day relative to the first: a process that settles slows down. */
const LEAST_PERSISTENCE = 0.6;
/** Growth relative to the falls of a usual day, of the process and of the fleet. */
const TIMES_WANDER = 2;
/** Growth hour by hour in the last day, relative to that of the daily floor: after a step they differ within an hour. */
const LEAST_GOING_ON = 0.5;

export function growthGroup(scope: Scope): RuleGroup {
  const rules: RecordingRule[] = [];
  if (scope.component === 'kubelet')
    rules.push({ record: recorded(scope, 'pods', 'growth1d'), expr: grown('pods', scope) });
  for (const { key } of TREND_RULES) rules.push(...trendRules(key, scope));
  return { name: 'oakum-growth', interval: RECORDING_INTERVAL, rules };
}

function trendRules(key: string, scope: Scope): RecordingRule[] {
  const named = (operation: string): string => recorded(scope, key, operation);
  const growth = named('growth1d');
  const day = named('unexplained1d');
  const threeDays = named('unexplained3d');
  const wander = named('wander7d');
  const days = [day, daysAgo(day, 1), daysAgo(day, 2)];
  return [
    { record: growth, expr: `${grown(key, scope)}\nand ${ageOf(scope)} > ${settledAge(2 * DAY_SECONDS)}` },
    { record: day, expr: scope.component === 'kubelet' ? withoutPods(growth, key, scope) : growth },
    { record: threeDays, expr: days.join('\n+ ') },
    { record: named('floor14d'), expr: `min_over_time(${named('floor1d')}[14d:6h])` },
    { record: wander, expr: `clamp_min(-quantile_over_time(0.1, ${day}[7d:1h]), 0)` },
    {
      record: named('rising1d'),
      expr: both(
        day,
        `${day} > abs(${growth} - ${day})`,
        `${named('floor1h')} - ${daysAgo(named('floor1h'), 1)} > ${LEAST_GOING_ON} * ${day}`,
        ...beyondWander(day, TIMES_WANDER, wander, scope),
      ),
    },
    {
      record: named('steady3d'),
      expr: both(
        threeDays,
        `${threeDays} > abs(${named('floor1d')} - ${daysAgo(named('floor1d'), 3)} - ${threeDays})`,
        ...days.map(part => `${part} > ${LEAST_PART_OF_DAY} * ${threeDays}`),
        `${day} > ${LEAST_PERSISTENCE} * ${days[2]}`,
        ...beyondWander(threeDays, 3 * TIMES_WANDER, wander, scope),
      ),
    },
  ];
}

function grown(key: string, scope: Scope): string {
  const level = recorded(scope, key, 'floor1d');
  return `${level} - ${daysAgo(level, 1)}`;
}

/** Pods explain nothing if there is no count of pods or it never changed. */
function withoutPods(growth: string, key: string, scope: Scope): string {
  const pods = recorded(scope, 'pods', 'growth1d');
  const explained = `${pods} * on (${scope.pool}) group_left () ${effectOfPods(scope, key)}`;
  return `${growth} - (\n  ${explained}\n  or 0 * ${growth}\n)`;
}

function beyondWander(growth: string, times: number, wander: string, { pool }: Scope): string[] {
  const fleet = `quantile by (${pool}) (0.5, ${wander})`;
  return [`${growth} > ${times} * ${wander}`, `${growth} > on (${pool}) group_left () (${times} * ${fleet})`];
}

function both(...conditions: readonly string[]): string {
  return conditions.join('\nand ');
}
