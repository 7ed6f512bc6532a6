/** Heap profiles of one garbage collection: what they cannot tell, and what would. */
import { formatCount } from '../../base/say.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Veto } from '../ledger/ledger.ts';

/** None where two profiles or more show different collections. */
export function sameCollectionVetoes({ heap, heapRepeats }: ProcessEvidence): Veto[] {
  if (heap.length !== 1 || heapRepeats === 0) return [];
  const profiles = `${formatCount(heapRepeats + 1)} heap profiles show the same garbage collection`;
  const sentence = `${profiles}: they are one observation, and say nothing of growth; heap?gc=1 collects first`;
  return [{ kind: 'same-collection', sentence }];
}
