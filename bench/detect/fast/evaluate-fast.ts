/** Fast leaks and healthy bursts, a scrape a minute, before our detector. */
import { writeFileSync } from 'node:fs';
import { createFleetDetector } from '../../../src/analysis/detect/fleet-detector.ts';
import { UsageError, type Options } from '../options.ts';
import type { EvaluationCost } from '../panel.ts';
import { goalTable } from '../score/goals.ts';
import { JUDGED_EVERY_MINUTES, runFleet } from './run-fleet.ts';
import { makeFleet } from './simulate/fleet.ts';
import { fastGoals, hardshipTable, healthyTable, leaksOf, missList, speedTable } from './tables.ts';
import type { ProcessScore } from './tally.ts';

const DAYS = 7;
const HEALTHY_EACH = 5;
const LEAKS_EACH = 4;

export function evaluateFast(options: Options): string {
  const cost: EvaluationCost = { cpuSeconds: 0, verdicts: 0 };
  const before = process.cpuUsage();
  const scores = options.seeds.flatMap(seed => runSeed(seed, options.scenario, cost));
  const { user, system } = process.cpuUsage(before);
  if (scores.length === 0) throw new UsageError(`no scenario and no speed is called ${options.scenario}`);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, JSON.stringify(scores));
  const milliseconds = (cost.cpuSeconds * 1000) / cost.verdicts;
  const leaks = leaksOf(scores);
  return [
    setting(options, scores),
    ...(leaks.length > 0 ? [speedTable(leaks), hardshipTable(leaks)] : []),
    healthyTable(scores),
    `${milliseconds.toFixed(3)} ms of CPU for each target, resource and evaluation (${cost.cpuSeconds.toFixed(0)} s of ${((user + system) / 1e6).toFixed(0)} s in all)\n`,
    goalTable(fastGoals(scores, milliseconds)),
    ...(options.misses ? [missList(scores)] : []),
  ].join('\n');
}

function runSeed(seed: number, scenario: string | undefined, cost: EvaluationCost): readonly ProcessScore[] {
  const fleet = makeFleet({ seed, days: DAYS, healthyEach: HEALTHY_EACH, leaksEach: LEAKS_EACH, scenario });
  const scores = runFleet(fleet, createFleetDetector(), cost);
  process.stderr.write(`seed ${seed}: ${fleet.processes.length} processes done\n`);
  return scores;
}

function setting({ seeds }: Options, scores: readonly ProcessScore[]): string {
  return (
    `${seeds.length} fleets (seeds ${seeds.join(', ')}) of ${DAYS} days, ${scores.length} processes, ` +
    `a scrape each minute, judged each ${JUDGED_EVERY_MINUTES} min\n`
  );
}
