/** The cost of judging every cohort of a large fleet. */
import { createFleetDetector } from '../../../src/judge/detect/fleet-detector.ts';
import { table } from '../../table.ts';
import { cpuSecondsOf } from '../cost.ts';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import { makeRolloutFleet } from './simulate/fleet.ts';
import { LEAK_KINDS } from './simulate/rollout-kinds.ts';

const TARGETS = 5000;
const SIMULATED = 250;
const ATTRIBUTES = 20;
const STEP_SECONDS = 1800;
/** As long as the detector remembers. */
const RECORD_HOURS = 336;

export function evaluateCohortCost(): string {
  const fleet = makeRolloutFleet(LEAK_KINDS[0], 7, SIMULATED, STEP_SECONDS);
  const copies = TARGETS / SIMULATED;
  const detector = createFleetDetector();
  for (const { node, attributes, changes } of fleet.nodes) {
    const extra = ATTRIBUTES - Object.keys(attributes).length;
    let due = 0;
    const names = Array.from({ length: copies }, (_, i) => `${node.name}-${i}`);
    names.forEach((name, i) => {
      const more = Array.from({ length: extra }, (_, j) => [`label/${j}`, String((i * (j + 3)) % 9)]);
      detector.describe(name, { ...attributes, ...Object.fromEntries(more) }, RECORD_START_SECONDS);
    });
    node.advance(RECORD_HOURS, (_, atSeconds, values) => {
      for (; due < changes.length && changes[due].atHours * 3600 <= atSeconds - RECORD_START_SECONDS; due++) {
        for (const name of names) detector.describe(name, changes[due].attributes, atSeconds);
      }
      for (const name of names) detector.observe(name, atSeconds, values);
    });
  }
  let verdicts = 0;
  const at = RECORD_START_SECONDS + RECORD_HOURS * 3600;
  const { cpu, wall } = cpuSecondsOf(() => {
    verdicts = detector.evaluateCohorts(at).length;
  });
  return table(
    ['cohorts', 'measured', 'goal'],
    [
      [
        `${TARGETS} targets, ${ATTRIBUTES} attributes, ${verdicts} cohorts and resources, CPU`,
        `${cpu.toFixed(1)} s`,
        '5 s',
      ],
      ['wall', `${wall.toFixed(1)} s`, ''],
    ],
  );
}
