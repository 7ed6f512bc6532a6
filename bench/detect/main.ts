/** npm run bench:detect; the options are in options.ts. */
import { writeFileSync } from 'node:fs';
import { createFleetDetector } from '../../src/analysis/detect/fleet-detector.ts';
import { parseOptions, UsageError, USAGE, type Options } from './options.ts';
import { detectorPanel, OURS, type EvaluationCost, type Panel } from './panel.ts';
import { runFleet, simulatedMember } from './run-fleet.ts';
import { summarise } from './score/summary.ts';
import { detailTable, missList, precisionTable, scenarioTable, subjectTable } from './score/tables.ts';
import type { NodeScore } from './score/tally.ts';
import { makeFleet, scenariosNamed } from './simulate/fleet.ts';

process.exitCode = main(process.argv.slice(2));

function main(argv: readonly string[]): number {
  try {
    const options = parseOptions(argv);
    if (options === 'help') say(USAGE);
    else run(options);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench:detect: ${error.message}\n`);
    return 2;
  }
}

function run(options: Options): void {
  simulated(options);
}

function simulated(options: Options): void {
  if (scenariosNamed(options.scenario).length === 0) {
    const names = scenariosNamed(undefined).map(({ name }) => name);
    throw new UsageError(`no scenario is called ${options.scenario}; there are: ${names.join(', ')}`);
  }
  const cost: EvaluationCost = { seconds: 0, verdicts: 0 };
  const hours = options.days * 24;
  const all = new Map<string, NodeScore[]>();
  for (const seed of options.seeds) {
    const fleet = makeFleet({ ...options, seed });
    const members = fleet.map(node => simulatedMember(node, seed, hours));
    const panels: Panel[] = [detectorPanel(createFleetDetector(), cost)];
    for (const [subject, scores] of runFleet(members, panels, hours, options.everyHours)) {
      all.set(subject, [...(all.get(subject) ?? []), ...scores]);
    }
    process.stderr.write(`seed ${seed}: ${fleet.length} nodes done\n`);
  }
  const ours = all.get(OURS) ?? [];
  const { seeds, nodes, days, stepSeconds, everyHours } = options;
  say(
    `\n${seeds.length} fleets of ${nodes} nodes, ${days} days, a scrape each ${stepSeconds} s, evaluated each ${everyHours} h; seeds ${seeds.join(', ')}\n\n`,
  );
  say(`${subjectTable(all)}\n${precisionTable(all)}\n${scenarioTable(ours)}\n${detailTable(summarise(ours))}`);
  const milliseconds = (cost.seconds * 1000) / cost.verdicts;
  say(
    `\n${milliseconds.toFixed(3)} ms for each target, resource and evaluation (${cost.seconds.toFixed(1)} s in all)\n`,
  );
  if (options.misses) say(`\n${missList(ours)}`);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, JSON.stringify(Object.fromEntries(all)));
}

function say(text: string): void {
  process.stdout.write(text);
}
