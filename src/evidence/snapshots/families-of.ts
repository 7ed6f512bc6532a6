/** The families of a snapshot of any kind. */
import { familiesOfDump } from '../../profile/families/dump-families.ts';
import { familiesOfHeap } from '../../profile/families/heap-families.ts';
import { familiesOfGoroutineProfile } from '../../profile/families/profile-families.ts';
import type { FamilyTable } from '../../profile/families/family.ts';
import type { Snapshot } from './snapshot.ts';

export function familiesOf({
  kind,
  profile,
  dump,
}: Pick<Snapshot, 'kind' | 'profile' | 'dump'>): FamilyTable | undefined {
  if (kind === 'goroutine' || kind === 'goroutineleak') {
    if (dump !== undefined) return familiesOfDump(dump);
    return profile === undefined ? undefined : familiesOfGoroutineProfile(profile);
  }
  return kind === 'heap' && profile !== undefined ? familiesOfHeap(profile) : undefined;
}
