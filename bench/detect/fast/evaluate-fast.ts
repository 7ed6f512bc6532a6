/** Runs our detector on fast leaks and healthy bursts, with a scrape a minute. */
import { writeFileSync } from 'node:fs';
import { UsageError, type Options } from '../options.ts';
import { goalTable } from '../score/goals.ts';
import { COARSE_PACE, USUAL_PACE } from './run-fleet.ts';
import { FLEET_DAYS, runSeeds, type SeedRun } from './run-seeds.ts';
import { fastGoals, hardshipTable, healthyTable, leaksOf, missList, speedTable } from './tables.ts';
import type { ProcessScore } from './tally.ts';

export async function evaluateFast(options: Options): Promise<string> {
  const runs = await runSeeds(options);
  const scores = runs.flatMap(run => run.scores);
  if (scores.length === 0) throw new UsageError(`no scenario and no speed has ${options.scenario} in its name`);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, JSON.stringify(scores));
  const total = (of: (run: SeedRun) => number): number => runs.reduce((sum, run) => sum + of(run), 0);
  const evaluationSeconds = total(run => run.evaluationCpuSeconds);
  const milliseconds = (evaluationSeconds * 1000) / total(run => run.verdicts);
  const leaks = leaksOf(scores);
  return [
    setting(options, scores),
    ...(leaks.length > 0 ? [speedTable(leaks), hardshipTable(leaks)] : []),
    healthyTable(scores),
    `${milliseconds.toFixed(3)} ms of CPU for each target, resource and evaluation ` +
      `(evaluations ${evaluationSeconds.toFixed(0)} s of ${total(run => run.cpuSeconds).toFixed(0)} s in all)\n`,
    goalTable(fastGoals(scores, milliseconds)),
    ...(options.misses ? [missList(scores)] : []),
  ].join('\n');
}

function setting({ seeds, coarse }: Options, scores: readonly ProcessScore[]): string {
  const { scrapedEveryMinutes, judgedEveryMinutes } = coarse ? COARSE_PACE : USUAL_PACE;
  return (
    `${seeds.length} fleets (seeds ${seeds.join(', ')}) of ${FLEET_DAYS} days, ${scores.length} processes, ` +
    `a scrape each ${scrapedEveryMinutes} min, judged each ${judgedEveryMinutes} min\n`
  );
}
