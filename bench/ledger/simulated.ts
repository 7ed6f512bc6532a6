/** Simulated dumps and histories, of which the truth is known. */
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { weighDetected } from '../../src/judge/ledger/metric-evidence.ts';
import { judgeDumps } from '../ages/evaluate.ts';
import { makeFleet } from '../detect/simulate/fleet.ts';
import { RECORD_START_SECONDS } from '../detect/simulate/simulated-node.ts';
import type { Claim } from './claim.ts';

/** Families of single dumps. */
export async function claimsOfDumps(dumps: number, seed: number): Promise<Claim[]> {
  return (await judgeDumps(dumps, seed)).flatMap(({ population, finding }) => {
    if (finding === undefined || finding.ledger.entries.length === 0) return [];
    const { verdict, probability } = finding.ledger;
    return [{ source: 'dumps', what: population.kind, verdict, probability, leaks: population.isLeak }];
  });
}

const DAYS = 28;
const EVERY_HOURS = 6;
const NODES = 100;
const LEAKING_SHARE = 0.36;

/** Each node at the end of four weeks, the surest of its resources. */
export function claimsOfHistories(seed: number): Claim[] {
  const nodes = makeFleet({
    seed,
    nodes: NODES,
    days: DAYS,
    stepSeconds: 600,
    prevalence: LEAKING_SHARE,
    scenario: undefined,
  });
  const detector = createFleetDetector();
  for (let hour = EVERY_HOURS; hour <= DAYS * 24; hour += EVERY_HOURS) {
    for (const node of nodes) node.advance(hour, (target, at, values) => detector.observe(target, at, values));
    detector.evaluate(RECORD_START_SECONDS + hour * 3600);
  }
  const end = RECORD_START_SECONDS + DAYS * 24 * 3600;
  return detector.evaluate(end).flatMap(({ target, resources }) => {
    const node = nodes.find(({ name }) => name === target);
    const [surest] = resources
      .map(weighDetected)
      .filter(({ entries }) => entries.length > 0)
      .sort((a, b) => b.probability - a.probability);
    if (node === undefined || surest === undefined) return [];
    // One that stopped leaking days ago is neither.
    const { leak } = node.plan;
    if (leak !== undefined && leak.stopHours < DAYS * 24) return [];
    const { verdict, probability } = surest;
    return [{ source: 'histories', what: node.scenario, verdict, probability, leaks: leak !== undefined }];
  });
}
