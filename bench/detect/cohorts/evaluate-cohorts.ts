/** Runs rollouts over fleets: how soon a leaking version is proved, and how often a healthy one is blamed. */
import { writeFileSync } from 'node:fs';
import type { Options } from '../options.ts';
import { UsageError } from '../options.ts';
import { goalTable } from '../score/goals.ts';
import { runRolloutFleet, type FleetScore } from './run-fleet.ts';
import { HEALTHY_KINDS, LEAK_KINDS, type RolloutKind } from './simulate/rollout-kinds.ts';
import { cohortGoals, healthyTable, leakTable, wrongList } from './tables.ts';

/** Fleets of each kind; a full run has enough healthy ones to count one wrong cohort in a hundred. */
const FLEETS_EACH = 3;
const FULL_LEAKS_EACH = 12;
const FULL_HEALTHY_EACH = 25;

export function evaluateCohorts(options: Options): string {
  const { scenario, nodes, full, seeds, fleets } = options;
  const scores: FleetScore[] = [];
  const run = (kinds: readonly RolloutKind[], each: number): void => {
    kinds
      .filter(({ name }) => scenario === undefined || name.includes(scenario))
      .forEach((kind, place) => {
        for (let i = 0; i < each; i++) {
          // Every fleet has a seed of its own, so that no two kinds share their noise.
          scores.push(runRolloutFleet(kind, seeds[0] * 1000 + place * 100 + i, nodes));
        }
        process.stderr.write(`${kind.name}, ${kind.canaries} canaries: ${each} fleets done\n`);
      });
  };
  run(LEAK_KINDS, fleets ?? (full ? FULL_LEAKS_EACH : FLEETS_EACH));
  run(HEALTHY_KINDS, fleets ?? (full ? FULL_HEALTHY_EACH : FLEETS_EACH));
  if (scores.length === 0) throw new UsageError(`no rollout has ${scenario} in its name`);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, JSON.stringify(scores));
  return [
    `${scores.length} fleets of ${nodes} nodes (seed ${seeds[0]}), two days before and two after the rollout, judged every two hours\n`,
    leakTable(scores),
    healthyTable(scores),
    goalTable(cohortGoals(scores)),
    ...(options.misses ? [wrongList(scores)] : []),
  ].join('\n');
}
