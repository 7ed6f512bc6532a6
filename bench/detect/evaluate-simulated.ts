/** Runs our detector and, on request, the common rules on simulated fleets, and prints tables of scores. */
import { writeFileSync } from 'node:fs';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { table } from '../table.ts';
import { baselinePanel, stockAndTuned, wholeGrid } from './baselines/baseline-panel.ts';
import { chooseBest, readTuned, writeTuned } from './baselines/tune.ts';
import { UsageError, type Options } from './options.ts';
import { detectorPanel, OURS, type EvaluationCost, type Panel } from './panel.ts';
import { runFleet, simulatedMember, type ScoresBySubject } from './run-fleet.ts';
import { goalTable, simulatedGoals } from './score/goals.ts';
import { summarise } from './score/summary.ts';
import { detailTable, limitList, missList, precisionTable, scenarioTable, subjectTable } from './score/tables.ts';
import type { NodeScore } from './score/tally.ts';
import { makeFleet, scenariosNamed } from './simulate/fleet.ts';

export function evaluateSimulated(options: Options): string {
  const cost: EvaluationCost = { cpuSeconds: 0, verdicts: 0 };
  const variants = options.baselines || options.markdown ? stockAndTuned(readTuned()) : [];
  const all = runSeeds(options, () => [
    detectorPanel(createFleetDetector(), cost),
    ...(variants.length > 0 ? [baselinePanel(variants)] : []),
  ]);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, JSON.stringify(Object.fromEntries(all)));
  const ours = all.get(OURS) ?? [];
  const commonRules = new Map([...all].filter(([subject]) => subject !== OURS));
  const milliseconds = (cost.cpuSeconds * 1000) / cost.verdicts;
  return [
    setting(options),
    subjectTable(all),
    precisionTable(all),
    scenarioTable(ours),
    detailTable(summarise(ours)),
    `${milliseconds.toFixed(3)} ms of CPU for each target, resource and evaluation (${cost.cpuSeconds.toFixed(1)} s in all)\n`,
    goalTable(simulatedGoals(ours, commonRules, milliseconds)),
    ...(options.misses ? [missList(ours), limitList(ours)] : []),
  ].join('\n');
}

export function tuneBaselines(options: Options): string {
  if (options.isTest) throw new UsageError('nothing is tuned on the test seeds');
  const variants = wholeGrid();
  const tuned = chooseBest(
    variants,
    runSeeds(options, () => [baselinePanel(variants)]),
  );
  writeTuned(tuned);
  const rows = Object.entries(tuned).map(([rule, parameters]) => [rule, JSON.stringify(parameters)]);
  return `${setting(options)}\n${table(['rule', `best of ${variants.length} in all`], rows)}`;
}

function runSeeds(options: Options, makePanels: () => readonly Panel[]): ScoresBySubject {
  if (scenariosNamed(options.scenario).length === 0) {
    const names = scenariosNamed(undefined).map(({ name }) => name);
    throw new UsageError(`no scenario is called ${options.scenario}; the scenarios are: ${names.join(', ')}`);
  }
  const hours = options.days * 24;
  const all = new Map<string, NodeScore[]>();
  for (const seed of options.seeds) {
    const members = makeFleet({ ...options, seed }).map(node => simulatedMember(node, seed, hours));
    for (const [subject, scores] of runFleet(members, makePanels(), hours, options.everyHours)) {
      all.set(subject, [...(all.get(subject) ?? []), ...scores]);
    }
    process.stderr.write(`seed ${seed}: ${members.length} nodes done\n`);
  }
  return all;
}

function setting({ seeds, nodes, days, stepSeconds, everyHours, prevalence }: Options): string {
  return (
    `${seeds.length} fleets of ${nodes} nodes (seeds ${seeds.join(', ')}), ${days} days, ${prevalence * 100} % leaking, ` +
    `a scrape each ${stepSeconds} s, evaluated each ${everyHours} h; in brackets 95 % intervals\n`
  );
}
