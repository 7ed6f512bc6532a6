/** Fleets of several seeds, one after the other or several processes at a time. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFleetDetector } from '../../../src/judge/detect/fleet-detector.ts';
import { cpuSecondsOf } from '../cost.ts';
import type { Options } from '../options.ts';
import { fastScaleAlone } from './fast-scale-alone.ts';
import { COARSE_PACE, runFleet, USUAL_PACE } from './run-fleet.ts';
import { makeFleet } from './simulate/fleet.ts';
import type { ProcessScore } from './tally.ts';

export const FLEET_DAYS = 7;
/** For each scenario and each speed. */
const HEALTHY_EACH = 5;
const LEAKS_EACH = 4;

/** Plain data: it may come from another process. */
export interface SeedRun {
  readonly scores: readonly ProcessScore[];
  readonly cpuSeconds: number;
  readonly evaluationCpuSeconds: number;
  /** Targets times resources times evaluations. */
  readonly verdicts: number;
}

type SeedOptions = Pick<Options, 'scenario' | 'alone' | 'coarse'>;

export async function runSeeds(options: Options): Promise<readonly SeedRun[]> {
  const { seeds, jobs } = options;
  if (jobs === 1) return seeds.map(seed => told(seed, runSeed(seed, options)));
  const runs: SeedRun[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < seeds.length) {
      const place = next++;
      runs[place] = told(seeds[place], await runInChild(seeds[place], options));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return runs;
}

export function runSeed(seed: number, { scenario, alone, coarse }: SeedOptions): SeedRun {
  const cost = { cpuSeconds: 0, verdicts: 0 };
  let scores: readonly ProcessScore[] = [];
  const { cpu } = cpuSecondsOf(() => {
    const leaksEach = coarse ? 0 : LEAKS_EACH;
    const fleet = makeFleet({ seed, days: FLEET_DAYS, healthyEach: HEALTHY_EACH, leaksEach, scenario });
    const detector = alone ? fastScaleAlone() : createFleetDetector();
    scores = runFleet(fleet, detector, cost, coarse ? COARSE_PACE : USUAL_PACE);
  });
  return { scores, cpuSeconds: cpu, evaluationCpuSeconds: cost.cpuSeconds, verdicts: cost.verdicts };
}

function runInChild(seed: number, { scenario, alone, coarse }: SeedOptions): Promise<SeedRun> {
  const file = fileURLToPath(new URL('./seed-child.ts', import.meta.url));
  const args = [...process.execArgv, file, JSON.stringify({ seed, scenario, alone, coarse })];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()) as SeedRun);
      else reject(new Error(`the fleet of seed ${seed} ended with code ${code}`));
    });
  });
}

function told(seed: number, run: SeedRun): SeedRun {
  process.stderr.write(`seed ${seed}: ${run.scores.length} processes done\n`);
  return run;
}
