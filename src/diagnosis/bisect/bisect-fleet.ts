/** Asks which attribute value separates what grows, once a fleet was replayed. */
import type { Bisection } from '../../model/bisection.ts';
import type { FleetDetector } from '../../model/detection.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { ReplayedFleet } from '../detection/fleet-replay.ts';
import { recordedCohort } from '../detection/recorded-cohort.ts';
import { bisectCohorts } from './bisect-cohorts.ts';
import { isProvedBy, type OwnProof } from './own-proofs.ts';

export interface BisectOptions {
  /** The one that the fleet was replayed with. */
  readonly detector: FleetDetector;
  readonly endSeconds: number;
  readonly catalogue: readonly KnownLeak[];
  /** What captures of the targets prove. */
  readonly proofs?: readonly OwnProof[];
}

export function bisectFleet(fleet: ReplayedFleet, options: BisectOptions): Bisection {
  const { detector, endSeconds, catalogue, proofs = [] } = options;
  const attributesOf = new Map(fleet.targets.map(({ name, attributes }) => [name, attributes]));
  return bisectCohorts({
    atSeconds: endSeconds,
    targetCount: fleet.targets.length,
    cohorts: detector.evaluateCohorts(endSeconds, isProvedBy(proofs)).map(recordedCohort),
    changes: fleet.attributeChanges,
    catalogue,
    component: fleet.hasKubelets ? 'kubelet' : '',
    notes: fleet.inputs.notes,
    proofs,
    versionOf: target => attributesOf.get(target)?.['version'],
  });
}
