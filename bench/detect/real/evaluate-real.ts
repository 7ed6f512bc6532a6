/**
 * Runs our detector on real series: its errors on the unchanged series, and what it finds if a third of them leaks at a
 * time. All machines of a dataset in one detector, and each alone in its own.
 */
import { createFleetDetector } from '../../../src/judge/detect/fleet-detector.ts';
import { table, type Cells, type Goal } from '../../table.ts';
import type { Options } from '../options.ts';
import { detectorPanel, OURS } from '../panel.ts';
import { runFleet, type Member } from '../run-fleet.ts';
import { bootstrap } from '../score/bootstrap.ts';
import { atLeast, atMost, goalTable } from '../score/goals.ts';
import { summarise } from '../score/summary.ts';
import { fixed, hoursOf, missList, withInterval } from '../score/tables.ts';
import type { NodeScore } from '../score/tally.ts';
import { carrierMember, hashOf, type MemoryMetric } from './carrier-member.ts';
import { haveDatasets, readCarriers, type Carrier } from './datasets.ts';

const METRICS: readonly MemoryMetric[] = ['go_gc_heap_live_bytes', 'process_resident_memory_bytes'];
/** Each machine leaks in one fleet of three, three times with other rates. */
const LEAKING_THIRDS = 3;
const DRAWS = 3;

type Company = 'together' | 'alone';

export function evaluateReal(options: Options): string {
  if (!haveDatasets()) return 'Real series: skipped, ../shared/datasets is missing\n';
  const half = options.isTest ? 1 : 0;
  const carriers = readCarriers().filter(({ name }) => hashOf(name) % 2 === half);
  const rows: Cells[] = [];
  const misses: string[] = [];
  const goals: Goal[] = [];
  for (const dataset of new Set(carriers.map(carrier => carrier.dataset))) {
    const machines = carriers.filter(carrier => carrier.dataset === dataset);
    for (const metric of METRICS) {
      for (const company of ['together', 'alone'] as const) {
        const asIs = run(machines, company, options.everyHours, carrier => carrierMember(carrier, metric, 0, false));
        const leaking = runLeaking(machines, metric, company, options.everyHours);
        rows.push(row(dataset, metric, company, asIs, leaking));
        if (dataset === 'alibaba' && company === 'together') goals.push(...realGoals(metric, asIs, leaking));
        misses.push(`${dataset}, ${metric}, ${company}:\n${missList([...asIs, ...leaking])}`);
      }
    }
  }
  const header = [
    'series',
    'as',
    'machines',
    'machine-years',
    'false alarms',
    'per machine-year',
    'leaks put in',
    'recall',
    'delay h (p90)',
    'watch h (p90)',
  ];
  const which = options.isTest ? 'test' : 'tuning';
  const title = `Real series, the ${which} half of the machines; leaks of 1-4 % of the level per day\n`;
  return [title, table(header, rows), goalTable(goals), ...(options.misses ? misses : [])].join('\n');
}

function realGoals(metric: MemoryMetric, asIs: readonly NodeScore[], leaking: readonly NodeScore[]): Goal[] {
  return [
    atMost(`false alarms per machine-year, ${shortly(metric)}`, summarise(asIs).falseAlarmsPerYear, 1),
    atLeast(`recall at 1-4 %/day, ${shortly(metric)}`, summarise(leaking).recall, 0.5),
  ];
}

function shortly(metric: MemoryMetric): string {
  return metric === 'go_gc_heap_live_bytes' ? 'live heap' : 'RSS';
}

function runLeaking(
  machines: readonly Carrier[],
  metric: MemoryMetric,
  company: Company,
  everyHours: number,
): readonly NodeScore[] {
  const scores: NodeScore[] = [];
  for (let round = 1; round <= DRAWS * LEAKING_THIRDS; round++) {
    const leaks = ({ name }: Carrier): boolean => (hashOf(name) >>> 1) % LEAKING_THIRDS === round % LEAKING_THIRDS;
    const chosen = company === 'together' ? machines : machines.filter(leaks);
    const all = run(chosen, company, everyHours, carrier => carrierMember(carrier, metric, round, leaks(carrier)));
    scores.push(...all.filter(({ truth }) => truth.leak !== undefined));
  }
  return scores;
}

function run(
  machines: readonly Carrier[],
  company: Company,
  everyHours: number,
  toMember: (carrier: Carrier) => Member,
): readonly NodeScore[] {
  const fleets = company === 'together' ? [machines] : machines.map(machine => [machine]);
  return fleets.flatMap(fleet => {
    const members = fleet.map(toMember);
    const hours = Math.max(...members.map(({ truth }) => truth.hours));
    const panel = detectorPanel(createFleetDetector(), { cpuSeconds: 0, verdicts: 0 });
    return runFleet(members, [panel], hours, everyHours).get(OURS) ?? [];
  });
}

function row(
  dataset: string,
  metric: MemoryMetric,
  company: Company,
  asIs: readonly NodeScore[],
  leaking: readonly NodeScore[],
): Cells {
  const healthy = summarise(asIs);
  const found = summarise(leaking);
  return [
    `${dataset}, ${company}`,
    shortly(metric),
    `${asIs.length}`,
    fixed(healthy.healthyYears),
    `${healthy.falseAlarms}`,
    fixed(healthy.falseAlarmsPerYear),
    `${leaking.length}`,
    withInterval(found.recall, bootstrap(leaking).recall),
    hoursOf(found.delayHours),
    hoursOf(found.watchDelayHours),
  ];
}
