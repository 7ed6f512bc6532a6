/**
 * The rules on the simulated fleets of bench/detect, compared with our detector and the common rules:
 *
 *     node --import tsx test/promtool/measure.ts 1 2 3 4 5        (seeds; some minutes each)
 *
 * promtool allows 10,000 samples in a query, so fleets are small, and the samples of an hour are aggregated first, as
 * the rules do.
 */
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { TREND_RULES } from '../../src/report/rules/trend-rules.ts';
import { ruleGroups } from '../../src/report/rules/rule-set.ts';
import { baselinePanel, stockAndTuned } from '../../bench/detect/baselines/baseline-panel.ts';
import { readTuned } from '../../bench/detect/baselines/tune.ts';
import { detectorPanel, type Panel } from '../../bench/detect/panel.ts';
import { type Member, runFleet, simulatedMember } from '../../bench/detect/run-fleet.ts';
import { quantile } from '../../bench/detect/score/summary.ts';
import { scenarioTable, subjectTable } from '../../bench/detect/score/tables.ts';
import type { Call, NodeScore } from '../../bench/detect/score/tally.ts';
import { makeFleet } from '../../bench/detect/simulate/fleet.ts';
import { RECORD_START_SECONDS } from '../../bench/detect/simulate/simulated-node.ts';
import { OPTIONS } from './options.ts';
import { type AlertCheck, type Process, testRules, withoutAnnotations } from './recording.ts';

const NODES = 28;
const DAYS = 28;
const HOURS = DAYS * 24;
const EVERY_HOURS = 6;
const CLUSTER = 'simulated';
const SUBJECT = 'oakum rules';

/** Metric -> the quantile of an hour that its rule uses. */
const HOURLY: Readonly<Record<string, number>> = {
  go_goroutines: 0.2,
  go_gc_heap_live_bytes: 0.5,
  go_memstats_heap_inuse_bytes: 0,
  process_open_fds: 0,
  go_threads: 0,
  kubelet_running_pods: 0.2,
  process_start_time_seconds: 1,
};

/** Target -> metric -> samples by hour. */
type Hours = Map<string, Map<string, number[][]>>;

function membersOf(seed: number): Member[] {
  const fleet = { seed, nodes: NODES, days: DAYS, stepSeconds: 300, prevalence: 0.36, scenario: undefined };
  return makeFleet(fleet).map(node => simulatedMember(node, seed, HOURS));
}

function record(members: readonly Member[]): Hours {
  const hours: Hours = new Map();
  for (const member of members) {
    member.advance(HOURS, (target, atSeconds, values) => {
      const hour = Math.ceil((atSeconds - RECORD_START_SECONDS) / 3600);
      const metrics = hours.get(target) ?? new Map<string, number[][]>();
      hours.set(target, metrics);
      for (const metric of Object.keys(HOURLY)) {
        const value = values[metric];
        if (value === undefined || !Number.isFinite(value)) continue;
        const byHour = metrics.get(metric) ?? [];
        metrics.set(metric, byHour);
        (byHour[hour] ??= []).push(metric === 'process_start_time_seconds' ? value - RECORD_START_SECONDS : value);
      }
    });
  }
  return hours;
}

function processOf(metrics: ReadonlyMap<string, readonly number[][]>): Process {
  const series = [...metrics].map(([metric, byHour]) => {
    const values = Array.from(byHour, samples =>
      samples === undefined
        ? NaN
        : quantile(
            samples.toSorted((a, b) => a - b),
            HOURLY[metric],
          ),
    );
    return [metric, (hour: number) => values[hour] ?? NaN] as const;
  });
  return Object.fromEntries(series);
}

/** What fires at each time, by target: promtool is told to expect nothing, and reports what it got instead. */
function callsOver(hours: Hours): Map<number, Map<string, Call>> {
  const processes = Object.fromEntries(
    Array.from(hours, ([target, metrics]) => [`${CLUSTER}/${target}`, processOf(metrics)]),
  );
  const checks: AlertCheck[] = [];
  for (let atHours = EVERY_HOURS; atHours <= HOURS; atHours += EVERY_HOURS)
    for (const { alert } of TREND_RULES) checks.push({ alertname: alert, atHours, alerts: [] });
  const trends = withoutAnnotations(ruleGroups(OPTIONS)).filter(({ name }) => !name.includes('limit'));
  const said = testRules(trends, { processes, hours: HOURS, stepMinutes: 60 }, checks);
  if (said.includes('err:')) throw new Error(said.slice(0, 500));
  const calls = new Map<number, Map<string, Call>>();
  for (const [, time, got] of said.matchAll(/alertname: \w+, time: (\w+),[^]*?got:\[([^]*?)\n {12}\]/g)) {
    const at = hoursIn(time);
    const now = calls.get(at) ?? new Map<string, Call>();
    calls.set(at, now);
    for (const [, target, verdict] of got.matchAll(/node="([^"]+)".*?verdict="(\w+)"/g)) {
      const before = now.get(target);
      const alarm = verdict === 'leak' || before?.alarm === true;
      now.set(target, { alarm, watch: verdict === 'watch' || before?.watch === true });
    }
  }
  return calls;
}

/** 1w2d6h. */
function hoursIn(time: string): number {
  const units: Readonly<Record<string, number>> = { w: 168, d: 24, h: 1 };
  return [...time.matchAll(/(\d+)([wdh])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * units[unit], 0);
}

function rulesPanel(seed: number): Panel {
  const calls = callsOver(record(membersOf(seed)));
  return {
    observe: () => {},
    judge: atSeconds => {
      const at = Math.round((atSeconds - RECORD_START_SECONDS) / 3600);
      return [{ subject: SUBJECT, calls: calls.get(at) ?? new Map<string, Call>() }];
    },
  };
}

const all = new Map<string, NodeScore[]>();
for (const seed of process.argv.slice(2).map(Number)) {
  const detector = detectorPanel(createFleetDetector(), { cpuSeconds: 0, verdicts: 0 });
  const panels = [rulesPanel(seed), detector, baselinePanel(stockAndTuned(readTuned()))];
  for (const [subject, scores] of runFleet(membersOf(seed), panels, HOURS, EVERY_HOURS))
    all.set(subject, [...(all.get(subject) ?? []), ...scores]);
  process.stderr.write(`seed ${seed} done\n`);
}
process.stdout.write(`${subjectTable(all)}\n${scenarioTable(all.get(SUBJECT) ?? [])}`);
