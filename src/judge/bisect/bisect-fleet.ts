/** Asks which attribute value separates what grows, once a fleet was replayed. */
import type { Bisection } from './bisection.ts';
import type { FleetDetector } from '../detect/detection.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { ReplayedFleet } from '../detect/fleet-replay.ts';
import { recordedCohort } from '../detect/recorded-cohort.ts';
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

/** What of a replayed fleet is asked for: a store of a watch has no more. */
export interface ComparedFleet extends Pick<ReplayedFleet, 'attributeChanges' | 'hasKubelets'> {
  readonly targets: readonly Pick<ReplayedFleet['targets'][number], 'name' | 'attributes'>[];
  readonly inputs: Pick<ReplayedFleet['inputs'], 'notes'>;
}

export function bisectFleet(fleet: ComparedFleet, options: BisectOptions): Bisection {
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
    targetNames: [...attributesOf.keys()],
  });
}
