/** The results of rollouts as tables. */
import { table, type Goal } from '../../table.ts';
import type { FleetScore } from './run-fleet.ts';

type Scores = readonly FleetScore[];

export function leakTable(scores: Scores): string {
  const rows = kindsOf(scores.filter(({ leaks }) => leaks)).map(([name, of]) => {
    const hours = provedHours(of);
    const bar = of[0].barHours;
    return [
      name,
      canariesOf(of),
      String(of.length),
      quantile(hours, 0.5),
      quantile(hours, 0.9),
      bar === undefined ? '' : String(bar),
      bar === undefined ? '' : String(of.filter(one => (one.provedHours ?? Infinity) <= bar).length),
      String(of.filter(({ isRight }) => isRight === true).length),
      quantile(
        of.flatMap(({ ratio }) => (ratio === undefined || Number.isNaN(ratio) ? [] : [ratio])),
        0.5,
        2,
      ),
      sum(of, ({ sound }) => sound) === 0
        ? ''
        : `${sum(of, ({ explained }) => explained)} of ${sum(of, ({ sound }) => sound)}`,
    ];
  });
  const header = [
    'leak',
    'canaries',
    'fleets',
    'proved after h',
    '90 %',
    'bar h',
    'within it',
    'right attribute first',
    'rate / true',
    'counter-examples explained',
  ];
  return table(header, rows);
}

export function healthyTable(scores: Scores): string {
  const rows = kindsOf(scores.filter(({ leaks }) => !leaks)).map(([name, of]) => [
    name,
    canariesOf(of),
    String(of.length),
    String(sum(of, ({ wrong }) => wrong.length)),
  ]);
  return table(['healthy upgrade', 'canaries', 'fleets', 'wrong cohorts'], rows);
}

export function cohortGoals(scores: Scores): Goal[] {
  const leaking = scores.filter(({ leaks }) => leaks);
  const healthy = scores.filter(({ leaks }) => !leaks);
  const bars = kindsOf(leaking).flatMap(([name, of]): Goal[] => {
    const bar = of[0].barHours;
    if (bar === undefined) return [];
    const late = of.filter(one => (one.provedHours ?? Infinity) > bar).length;
    return [
      {
        name: `${name}, ${canariesOf(of)} canaries`,
        wanted: `proved within ${bar} h`,
        measured: `${of.length - late} of ${of.length} fleets`,
        met: late <= 0.1 * of.length,
      },
    ];
  });
  const named = leaking.filter(({ isRight }) => isRight !== undefined);
  const right = named.filter(({ isRight }) => isRight === true).length / named.length;
  const wrong = sum(healthy, one => one.wrong.length);
  return [
    ...bars,
    {
      name: 'wrong cohorts in healthy upgrades',
      wanted: 'at most 1 in 100 fleets',
      measured: `${wrong} in ${healthy.length} fleets`,
      met: healthy.length === 0 ? undefined : wrong <= Math.max(1, healthy.length / 100),
    },
    {
      name: 'right attribute named first',
      wanted: '95 %',
      measured: `${(100 * right).toFixed(0)} %`,
      met: Number.isNaN(right) ? undefined : right >= 0.95,
    },
  ];
}

export function wrongList(scores: Scores): string {
  const lines = scores.flatMap(one =>
    one.wrong.map(what => `${one.kind}, ${one.canaries} canaries, seed ${one.seed}: ${what}\n`),
  );
  return lines.length === 0 ? 'nothing was blamed wrongly\n' : lines.join('');
}

/** Their number, or the least and the most where it differs. */
function canariesOf(scores: Scores): string {
  const counts = scores.map(({ canaries }) => canaries);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(most) : `${least} to ${most}`;
}

function sum(scores: Scores, valueOf: (score: FleetScore) => number): number {
  return scores.reduce((total, score) => total + valueOf(score), 0);
}

function provedHours(scores: Scores): number[] {
  return scores.map(({ provedHours: hours }) => hours ?? Infinity);
}

function quantile(values: readonly number[], share: number, digits = 0): string {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return value === undefined || !Number.isFinite(value) ? 'not' : value.toFixed(digits);
}

function kindsOf(scores: Scores): [string, Scores][] {
  const kinds = new Map<string, FleetScore[]>();
  for (const score of scores) {
    const key = `${score.kind}\0${score.rolledOutTo}`;
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, [score]);
    else known.push(score);
  }
  return [...kinds.values()].map(of => [of[0].kind, of]);
}
