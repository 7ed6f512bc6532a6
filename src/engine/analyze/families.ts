/** The families of whatever a snapshot holds. */
import { familiesOfDump } from '../../analysis/families/dump-families.ts';
import { familiesOfHeap } from '../../analysis/families/heap-families.ts';
import { familiesOfGoroutineProfile } from '../../analysis/families/profile-families.ts';
import type { FamilyTable } from '../../model/family.ts';
import type { FamilyInput } from './read-member.ts';

export function familiesOf({ kind, profile, dump }: FamilyInput): FamilyTable | undefined {
  if (kind === 'goroutine' || kind === 'goroutineleak') {
    if (dump !== undefined) return familiesOfDump(dump);
    return profile === undefined ? undefined : familiesOfGoroutineProfile(profile);
  }
  return kind === 'heap' && profile !== undefined ? familiesOfHeap(profile) : undefined;
}
