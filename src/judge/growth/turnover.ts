/**
 * How much a family of goroutines would change by chance if as many came as left.
 *
 *     arrived A, left D   ->   the change A - D has a standard error of sqrt(A + D)
 *
 * Two dumps that list goroutines show A and D by their ids, which are never reused. Counts alone do not: then all of the
 * first may have left, and all of the last arrived.
 */
import type { FamilyCount } from '../../profile/families/family.ts';

export interface Turnover {
  readonly arrived: number;
  readonly left: number;
  /** Counted by id, not assumed. */
  readonly isSeen: boolean;
}

export function turnoverOf(first: FamilyCount | undefined, last: FamilyCount | undefined): Turnover {
  const [before, after] = [first?.waits, last?.waits];
  const isWhole = before?.isCut !== true && after?.isCut !== true;
  // A family that one of two dumps lacks has no ids there, and needs none: nothing of it was there.
  const isListed = (count: FamilyCount | undefined): boolean => count === undefined || count.waits !== undefined;
  if (!isWhole || !isListed(first) || !isListed(last) || (before === undefined && after === undefined)) {
    return { arrived: last?.count ?? 0, left: first?.count ?? 0, isSeen: false };
  }
  const there = new Set(after?.id);
  const left = before?.id.reduce((sum, id) => sum + (there.has(id) ? 0 : 1), 0) ?? 0;
  const stayed = (before?.id.length ?? 0) - left;
  return { arrived: (after?.id.length ?? 0) - stayed, left, isSeen: true };
}

export function chanceChange({ arrived, left }: Turnover): number {
  return Math.sqrt(arrived + left);
}
