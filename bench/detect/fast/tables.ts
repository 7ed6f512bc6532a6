/** Scores as Markdown tables that also read well in a terminal. */
import { table, type Cells, type Goal } from '../../table.ts';
import { atLeast, atMost } from '../score/goals.ts';
import { quantile } from '../score/summary.ts';
import { fixed, percent } from '../score/tables.ts';
import { HEALTHY_SCENARIOS } from './simulate/healthy-scenarios.ts';
import { SPEEDS } from './simulate/leak.ts';
import type { HealthyTime, LeakScore, ProcessScore } from './tally.ts';

const MINUTES_PER_DAY = 1440;
const MINUTES_PER_YEAR = 365.25 * MINUTES_PER_DAY;

export function leaksOf(scores: readonly ProcessScore[]): LeakScore[] {
  return scores.flatMap(({ leak }) => leak ?? []);
}

/** A row for each speed. */
export function speedTable(leaks: readonly LeakScore[]): string {
  const header = [
    'leak',
    'n',
    'deadline min, median',
    'leak in time',
    'watch in time',
    'min to leak (p90)',
    'of the deadline (p90)',
    'min to watch (p90)',
    'right resource',
  ];
  const groups = SPEEDS.map(({ name }) => [name, leaks.filter(({ speed }) => speed === name)] as const);
  const rows = [...groups, ['all', leaks] as const].filter(([, group]) => group.length > 0);
  return table(header, rows.map(speedRow));
}

function speedRow([name, leaks]: readonly [string, readonly LeakScore[]]): Cells {
  const proved = leaks.filter(leakInTime);
  return [
    name,
    `${leaks.length}`,
    minutes(quantilesOf(leaks, ({ deadlineMinutes }) => deadlineMinutes)[0]),
    percent(shareOf(leaks, leakInTime)),
    percent(shareOf(leaks, watchInTime)),
    pair(
      quantilesOf(leaks, ({ leakMinutes }) => leakMinutes),
      minutes,
    ),
    pair(
      quantilesOf(leaks, leak => leak.leakMinutes && leak.leakMinutes / leak.deadlineMinutes),
      percent,
    ),
    pair(
      quantilesOf(leaks, ({ watchMinutes }) => watchMinutes),
      minutes,
    ),
    percent(shareOf(proved, ({ rightResource }) => rightResource)),
  ];
}

/** The same leaks by what makes them hard. */
export function hardshipTable(leaks: readonly LeakScore[]): string {
  const rows: Cells[] = [];
  const add = (of: (leak: LeakScore) => string): void => {
    for (const name of [...new Set(leaks.map(of))].sort()) {
      const group = leaks.filter(leak => of(leak) === name);
      rows.push([
        name,
        `${group.length}`,
        percent(shareOf(group, leakInTime)),
        percent(shareOf(group, watchInTime)),
        pair(
          quantilesOf(group, leak => leak.leakMinutes && leak.leakMinutes / leak.deadlineMinutes),
          percent,
        ),
      ]);
    }
  };
  add(({ arrival }) => `arrives: ${arrival}`);
  add(({ history }) => history);
  add(({ kind }) => kind);
  add(({ showsLiveHeap, speed }) => `${showsLiveHeap ? 'live heap shown' : 'only go_memstats'}, ${resourceOf(speed)}`);
  add(({ deadlineMinutes }) => deadlineBand(deadlineMinutes));
  return table(['leaks', 'n', 'leak in time', 'watch in time', 'of the deadline (p90)'], rows);
}

function resourceOf(name: string): string {
  return SPEEDS.find(speed => speed.name === name)?.resource === 'goroutines' ? 'goroutines leak' : 'heap leaks';
}

function deadlineBand(deadlineMinutes: number): string {
  if (deadlineMinutes < 60) return 'deadline a: under 1 h';
  if (deadlineMinutes < 240) return 'deadline b: 1 to 4 h';
  return deadlineMinutes < 1440 ? 'deadline c: 4 to 24 h' : 'deadline d: over 24 h';
}

export function healthyTable(scores: readonly ProcessScore[]): string {
  const times = scores.flatMap(({ healthy }) => healthy).filter(time => time.minutes > 0);
  const known = HEALTHY_SCENARIOS.map(({ name }) => name);
  const names = [...known, ...times.map(({ scenario }) => scenario)];
  const groups = [...new Set(names)].map(name => [name, times.filter(({ scenario }) => scenario === name)] as const);
  const rows = [...groups, ['all', times] as const].filter(([, group]) => group.length > 0);
  const header = [
    'healthy',
    'processes',
    'node-years',
    'false alarms',
    'per node-year',
    'false watches per node-day',
    'time in watch',
    'most leak-like (p90)',
  ];
  return table(header, rows.map(healthyRow));
}

function healthyRow([name, times]: readonly [string, readonly HealthyTime[]]): Cells {
  const total = sumOf(times, ({ minutes }) => minutes);
  const alarms = sumOf(times, ({ falseAlarms }) => falseAlarms.length);
  return [
    name,
    `${times.length}`,
    fixed(total / MINUTES_PER_YEAR),
    `${alarms}`,
    fixed((alarms * MINUTES_PER_YEAR) / total),
    fixed((sumOf(times, ({ falseWatches }) => falseWatches) * MINUTES_PER_DAY) / total),
    percent(sumOf(times, ({ watchedMinutes }) => watchedMinutes) / total),
    likenessCell(times),
  ];
}

/**
 * How close the scenario comes to a leak: the share of a leak's time that must pass before they can be distinguished.
 */
function likenessCell(times: readonly HealthyTime[]): string {
  const sorted = times.flatMap(({ likeness }) => likeness ?? []).sort((a, b) => a - b);
  return sorted.length === 0 ? '-' : `${fixed(quantile(sorted, 1))} (${fixed(quantile(sorted, 0.9))})`;
}

export function fastGoals(scores: readonly ProcessScore[], millisecondsEach: number): Goal[] {
  const leaks = leaksOf(scores);
  const speeds = [...new Set(leaks.map(({ speed }) => speed))];
  const worst = Math.min(
    ...speeds.map(name =>
      shareOf(
        leaks.filter(({ speed }) => speed === name),
        leakInTime,
      ),
    ),
  );
  const times = scores.flatMap(({ healthy }) => healthy);
  const alarms = sumOf(times, ({ falseAlarms }) => falseAlarms.length);
  const years = sumOf(times, ({ minutes }) => minutes) / MINUTES_PER_YEAR;
  return [
    atLeast('leaks proved within 30 min + 2 doubling times', shareOf(leaks, leakInTime), 0.95),
    atLeast('the same, of the worst speed', speeds.length === 0 ? NaN : worst, 0.95),
    atLeast('leaks watched within half of that', shareOf(leaks, watchInTime), 0.95),
    atMost('false alarms per healthy node-year', years > 0 ? alarms / years : NaN, 0.1),
    atMost('ms for each target, resource and evaluation', millisecondsEach, 0.3),
  ];
}

/** Each false alarm and each leak not proved in time: its traits, and the verdict. */
export function missList(scores: readonly ProcessScore[]): string {
  return scores
    .flatMap(({ seed, target, traits, healthy, leak }) => {
      const name = `seed ${seed} ${target}`;
      const alarms = healthy.flatMap(({ scenario, falseAlarms, likeness }) =>
        falseAlarms.map(({ said }) => {
          const like = likeness === undefined ? '' : `, leak-like ${fixed(likeness)}`;
          return `false alarm: ${name}, ${scenario}${like}, ${traits}\n    ${said}\n`;
        }),
      );
      if (leak === undefined || leakInTime(leak)) return alarms;
      const said = leak.leakMinutes === undefined ? 'missed' : `late, after ${minutes(leak.leakMinutes)} min`;
      return [
        ...alarms,
        `${said} of ${minutes(leak.deadlineMinutes)}: ${name}, ${leak.speed}, ${traits}\n    ${leak.said}\n`,
      ];
    })
    .join('');
}

function leakInTime({ leakMinutes, deadlineMinutes }: LeakScore): boolean {
  return leakMinutes !== undefined && leakMinutes <= deadlineMinutes;
}

function watchInTime({ watchMinutes, deadlineMinutes }: LeakScore): boolean {
  return watchMinutes !== undefined && watchMinutes <= deadlineMinutes / 2;
}

function shareOf<T>(items: readonly T[], is: (item: T) => boolean): number {
  return items.length === 0 ? NaN : items.filter(is).length / items.length;
}

/** Median and 90th percentile; leaks that were never found count as last. */
function quantilesOf(leaks: readonly LeakScore[], of: (leak: LeakScore) => number | undefined): readonly number[] {
  const sorted = leaks.map(leak => of(leak) ?? Infinity).sort((a, b) => a - b);
  return [0.5, 0.9].map(share => {
    const value = quantile(sorted, share);
    return Number.isNaN(value) ? Infinity : value;
  });
}

function pair([median, p90]: readonly number[], show: (value: number) => string): string {
  const shown = (value: number): string => (value === Infinity ? 'never' : show(value));
  return median === Infinity ? 'never' : `${shown(median)} (${shown(p90)})`;
}

function minutes(value: number): string {
  return value.toFixed(0);
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
