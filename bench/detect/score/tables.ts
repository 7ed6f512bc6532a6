/** Scores as Markdown tables that also read well in a terminal. */
import { table, type Cells } from '../../table.ts';
import { bootstrap } from './bootstrap.ts';
import { precisionAt, summarise, type Coverage, type Quantiles, type Rates, type Summary } from './summary.ts';
import type { NodeScore } from './tally.ts';

type Scores = readonly NodeScore[];

const PREVALENCES = [0.36, 0.02, 0.002];

/** A row per subject, with 95 % intervals. */
export function subjectTable(bySubject: ReadonlyMap<string, Scores>): string {
  const header: Cells = ['', 'precision', 'recall', 'F1', 'false alarms/node-year', 'delay h (p90)', 'growth at alarm'];
  const rows = Array.from(bySubject, ([subject, scores]): Cells => {
    const summary = summarise(scores);
    const within = bootstrap(scores);
    const rate = (name: keyof Rates): string => withInterval(summary[name], within[name]);
    return [
      subject,
      rate('precision'),
      rate('recall'),
      rate('f1'),
      rate('falseAlarmsPerYear'),
      hoursOf(summary.delayHours),
      percent(summary.growthAtAlarm.median),
    ];
  });
  return table(header, rows);
}

export function precisionTable(bySubject: ReadonlyMap<string, Scores>): string {
  const header = ['precision when this share leaks', ...PREVALENCES.map(share => `${share * 100} %`), 'false nodes'];
  const rows = Array.from(bySubject, ([subject, scores]): Cells => {
    const summary = summarise(scores);
    return [
      subject,
      ...PREVALENCES.map(share => fixed(precisionAt(share, summary))),
      `${percent(summary.falseNodes)} of healthy`,
    ];
  });
  return table(header, rows);
}

export function scenarioTable(scores: Scores): string {
  const leaks = scores.filter(({ truth }) => truth.leak !== undefined);
  const healthy = scores.filter(({ truth }) => truth.leak === undefined);
  let text = '';
  if (leaks.length > 0) {
    const header = [
      'leak',
      'nodes',
      'found',
      'recall',
      'delay h (p90)',
      'watch h (p90)',
      'growth at alarm',
      'too early',
    ];
    text += table(header, byScenario(leaks, leakRow));
  }
  if (healthy.length > 0) {
    const header = ['healthy', 'nodes', 'false nodes', 'share', 'false alarms', 'per node-year'];
    text += `${text === '' ? '' : '\n'}${table(header, byScenario(healthy, healthyRow))}`;
  }
  return text;
}

function byScenario(scores: Scores, row: (name: string, scores: Scores) => Cells): Cells[] {
  const names = [...new Set(scores.map(({ truth }) => truth.scenario))].sort();
  const groups = names.map(name =>
    row(
      name,
      scores.filter(({ truth }) => truth.scenario === name),
    ),
  );
  return [...groups, row('all', scores)];
}

function leakRow(name: string, scores: Scores): Cells {
  const summary = summarise(scores);
  const found = scores.filter(({ detected }) => detected).length;
  return [
    name,
    `${scores.length}`,
    `${found}`,
    fixed(summary.recall),
    hoursOf(summary.delayHours),
    hoursOf(summary.watchDelayHours),
    percent(summary.growthAtAlarm.median),
    `${summary.falseAlarms}`,
  ];
}

function healthyRow(name: string, scores: Scores): Cells {
  const summary = summarise(scores);
  const nodes = scores.filter(({ falseAlarms }) => falseAlarms.length > 0).length;
  return [
    name,
    `${scores.length}`,
    `${nodes}`,
    percent(summary.falseNodes),
    `${summary.falseAlarms}`,
    fixed(summary.falseAlarmsPerYear),
  ];
}

/** Statements that only our detector makes, checked. */
export function detailTable(summary: Summary): string {
  const coverage = ({ share, nodes }: Coverage): string => `${percent(share)} (${nodes} nodes)`;
  const error = ({ median, p90 }: Quantiles, show: (value: number) => string): string =>
    `${show(median)} (p90 ${show(p90)})`;
  const inHours = (value: number): string => `${fixed(value)} h`;
  return table(
    ['of what is said at an alarm', ''],
    [
      ['90 % time-to-limit interval holds the truth', coverage(summary.timeToLimitCoverage)],
      ['90 % slope interval holds the truth', coverage(summary.slopeCoverage)],
      ['slope error, median', error(summary.slopeError, percent)],
      ['onset error, median', error(summary.onsetErrorHours, inHours)],
      ['names the right resource', percent(summary.rightResource)],
      ['names the right clock', percent(summary.rightClock)],
      ['leaks at least watched', percent(summary.watched)],
    ],
  );
}

/** Each false alarm and miss: its traits, and the verdict. */
export function missList(scores: Scores): string {
  return scores
    .filter(({ truth, detected, falseAlarms }) => falseAlarms.length > 0 || (truth.leak !== undefined && !detected))
    .map(({ truth, falseAlarms, details }) => {
      const kind =
        falseAlarms.length > 0
          ? `false alarm on day ${falseAlarms.map(at => (at / 24).toFixed(1)).join(', ')}`
          : 'missed';
      const notes = Object.entries(truth.notes).map(([name, value]) => `${name}=${shortly(value)}`);
      return `${kind}: seed ${truth.seed} ${truth.target} ${truth.scenario} ${notes.join(' ')}\n    ${details.said ?? 'nothing was said'}\n`;
    })
    .join('');
}

/** Nodes whose time to the limit was wrong more often than not. */
export function limitList(scores: Scores): string {
  return scores
    .filter(({ details: { timeToLimitInside } }) => timeToLimitInside.inside < timeToLimitInside.of / 2)
    .map(({ truth, details: { timeToLimitInside, limitSaid } }) => {
      const right = `right ${timeToLimitInside.inside} of ${timeToLimitInside.of} times`;
      return `limit: seed ${truth.seed} ${truth.target} ${truth.scenario}: ${right}\n    ${limitSaid}\n`;
    })
    .join('');
}

function shortly(value: string | number): string {
  return typeof value === 'string' ? value : String(Number(value.toPrecision(3)));
}

export function hoursOf({ median, p90 }: Quantiles): string {
  return Number.isNaN(median) ? '-' : `${median.toFixed(0)} (${p90.toFixed(0)})`;
}

export function withInterval(value: number, [low, high]: readonly [number, number]): string {
  return Number.isNaN(value) ? '-' : `${fixed(value)} (${fixed(low)}-${fixed(high)})`;
}

export function fixed(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value.toFixed(value >= 10 ? 1 : value >= 1.005 ? 2 : 3);
}

export function percent(share: number): string {
  return Number.isNaN(share) ? '-' : `${(share * 100).toFixed(1)} %`;
}
