/** The goals of the detector, and whether they are met. */
import { table, type Goal } from '../../table.ts';
import { ratesOf, summarise } from './summary.ts';
import { fixed, percent } from './tables.ts';
import type { NodeScore } from './tally.ts';

type Scores = readonly NodeScore[];

export function simulatedGoals(
  ours: Scores,
  commonRules: ReadonlyMap<string, Scores>,
  millisecondsEach: number,
): Goal[] {
  const named = (...scenarios: readonly string[]): Scores =>
    ours.filter(({ truth }) => scenarios.includes(truth.scenario));
  const all = summarise(ours);
  const growing = summarise(named('density ramp', 'organic growth'));
  const heapOnly = summarise(named('heap 10-25 MB/day', 'heap 15 MB/day'));
  const slow = summarise(named('1.5-4 %/day'));
  const steep = summarise(named('5 %/day', '10 %/day'));
  const covered = all.timeToLimitCoverage.share;
  const best = bestOf(commonRules);
  return [
    atLeast('precision', all.precision, 0.95),
    atLeast('recall', all.recall, 0.95),
    atLeast('F1', all.f1, 0.95),
    atMost('false alarms per node-year', all.falseAlarmsPerYear, 0.1),
    atMost('false nodes of density ramp and organic growth', growing.falseNodes, 0.01),
    atLeast('recall of heap-only 10-25 MB/day', heapOnly.recall, 0.97),
    atMost('median hours to its alarm', heapOnly.delayHours.median, 72),
    atMost('median hours to its watch', heapOnly.watchDelayHours.median, 24),
    atLeast('recall of 5 and 10 %/day', steep.recall, 0.97),
    atLeast('recall of 1.5-4 %/day', slow.recall, 0.9),
    atMost('median hours to its alarm', slow.delayHours.median, 168),
    {
      name: 'cover of the 90 % time-to-limit interval',
      wanted: '85-97 %',
      measured: percent(covered),
      met: Number.isNaN(covered) ? undefined : covered >= 0.85 && covered <= 0.97,
    },
    atMost('ms for each target, resource and evaluation', millisecondsEach, 0.3),
    ...(best === undefined ? [] : [atLeast(`F1 above the best rule (${best.subject})`, all.f1, best.f1)]),
  ];
}

export function atLeast(name: string, value: number, least: number): Goal {
  return goal(name, `>= ${fixed(least)}`, value, value >= least);
}

export function atMost(name: string, value: number, most: number): Goal {
  return goal(name, `<= ${fixed(most)}`, value, value <= most);
}

/** A run without such nodes gives NaN. */
function goal(name: string, wanted: string, value: number, met: boolean): Goal {
  return { name, wanted, measured: fixed(value), met: Number.isNaN(value) ? undefined : met };
}

export function goalTable(goals: readonly Goal[]): string {
  const met = (goal: Goal): string => (goal.met === undefined ? 'not measured' : goal.met ? 'met' : 'MISSED');
  return table(
    ['goal', 'wanted', 'measured', ''],
    goals.map(goal => [goal.name, goal.wanted, goal.measured, met(goal)]),
  );
}

function bestOf(
  commonRules: ReadonlyMap<string, Scores>,
): { readonly subject: string; readonly f1: number } | undefined {
  const ranked = Array.from(commonRules, ([subject, scores]) => ({ subject, f1: ratesOf(scores).f1 }));
  return ranked.sort((a, b) => b.f1 - a.f1)[0];
}
