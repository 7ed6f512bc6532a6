/** The cost of the detector for a large fleet: time to observe, time to evaluate, memory kept. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { table } from '../table.ts';
import { makeFleet } from './simulate/fleet.ts';
import { RECORD_START_SECONDS } from './simulate/simulated-node.ts';

const TARGETS = 10_000;
/** This many nodes are simulated; each represents several targets. */
const SIMULATED = 100;
const DAYS = 14;
/** Rarer than in a real fleet, so that feeding takes less time; the evaluated record is as long. */
const STEP_SECONDS = 1200;

export function evaluateCost(): string {
  const fleet = makeFleet({
    seed: 1,
    nodes: SIMULATED,
    days: DAYS,
    stepSeconds: STEP_SECONDS,
    prevalence: 0.36,
    scenario: undefined,
  });
  const copies = TARGETS / SIMULATED;
  const collectGarbage = garbageCollector();
  const memoryBefore = collectGarbage();
  const detector = createFleetDetector();
  const names = new Map(fleet.map(({ name }) => [name, Array.from({ length: copies }, (_, i) => `${name}-${i}`)]));
  let observed = 0;
  const fed = cpuSecondsOf(() => {
    for (let hour = 1; hour <= DAYS * 24; hour++) {
      for (const node of fleet) {
        node.advance(hour, (target, atSeconds, values) => {
          for (const name of names.get(target) ?? []) detector.observe(name, atSeconds, values);
          observed += copies;
        });
      }
    }
  });
  const keptBytes = collectGarbage() - memoryBefore;
  let resources = 0;
  const evaluated = cpuSecondsOf(() => {
    const verdicts = detector.evaluate(RECORD_START_SECONDS + DAYS * 86_400);
    resources = verdicts.reduce((sum, verdict) => sum + verdict.resources.length, 0);
  });
  const perVerdict = ((evaluated.cpu * 1000) / resources).toFixed(3);
  const rows = [
    ['evaluate, CPU', `${evaluated.cpu.toFixed(1)} s`, '60 s'],
    ['evaluate, wall', `${evaluated.wall.toFixed(1)} s`, ''],
    ['for each target and resource', `${perVerdict} ms`, '0.3 ms'],
    ['kept for each target and resource', `${(keptBytes / resources / 1000).toFixed(2)} KB`, '5 KB'],
    ['kept in all', `${(keptBytes / 1e6).toFixed(0)} MB`, ''],
    ['observe, with the simulation', `${((fed.cpu * 1e6) / observed).toFixed(2)} us a scrape`, ''],
  ];
  const title = `${TARGETS} targets (${SIMULATED} simulated nodes, ${copies} times each), ${DAYS} days, a scrape each ${STEP_SECONDS / 60} min, ${resources} resources, one evaluation at the end\n`;
  return `${title}\n${table(['cost', 'measured', 'goal'], rows)}`;
}

export function cpuSecondsOf(work: () => void): { readonly cpu: number; readonly wall: number } {
  const began = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - began) / 1000 };
}

/** Collects garbage, and returns the memory in use, array buffers included. */
export function garbageCollector(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}
