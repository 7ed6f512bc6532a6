/** Growth: how a family changed over the snapshots of one process. */
import type { Family, FamilyTable, FamilyCount } from '../../profile/families/family.ts';
import { amountIn } from '../../base/say.ts';
import { median } from './theil-sen.ts';

export interface GrowthPoint {
  readonly atSeconds: number | undefined;
  readonly count: number;
  readonly bytes: number;
}

export interface Growth {
  readonly family: Family;
  readonly points: readonly GrowthPoint[];
  /** In goroutines, or in bytes for heap. */
  readonly from: number;
  readonly to: number;
  readonly delta: number;
  /**
   * Undefined without times, or if they span less than five minutes (ten seconds for heap profiles whose collections
   * are known).
   */
  readonly perHour: number | undefined;
  /** Heap only: 95 % interval of the sampling error; undefined without a rate. */
  readonly perHourRange: readonly [low: number, high: number] | undefined;
  /** Undefined unless the number of operations was given. */
  readonly perOperation: number | undefined;
  /** Never fell between two snapshots, and rose at least twice; with only two snapshots, rose. */
  readonly monotone: boolean;
  /** Absent from the first snapshot, or from the last. */
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** Standard error of `delta` from heap sampling; 0 for goroutines, which are counted. */
  readonly deltaError: number;
  /** Whether the change exceeds what sampling and churn explain, and why. */
  readonly significant: boolean;
  /** Goroutines only: it rose, but by so little that coming and going may have done it. */
  readonly mayBeChurn: boolean;
  readonly why: string;
}

/**
 * Healthy peers as a reference: families of similar size there are not suspect. A kubelet's steady families are many
 * and large; this removes them from the top of the list.
 */
export interface ReferenceTable {
  readonly table: FamilyTable;
  readonly pods?: number | undefined;
}

export interface ReferenceVerdict {
  /** Factor for the family's rank: 1 leaves it, 0.1 lowers it the most. */
  readonly factor: number;
  readonly reason: string;
}

export function againstReference(
  growth: Growth,
  peers: readonly ReferenceTable[],
  pods?: number | undefined,
): ReferenceVerdict {
  const isHeap = growth.family.kind === 'heap';
  const tables = peers.filter(peer => peer.table.kind === growth.family.kind);
  if (tables.length === 0) return { factor: 1, reason: 'no healthy peer to compare with' };
  const perPod = pods !== undefined && pods > 0 && tables.every(peer => (peer.pods ?? 0) > 0);
  const sizes = tables.map(peer => {
    const count = peer.table.counts.find(one => one.family.id === growth.family.id);
    const size = count === undefined ? 0 : isHeap ? count.bytes : count.count;
    return perPod ? size / (peer.pods ?? 1) : size;
  });
  const here = perPod ? growth.to / (pods ?? 1) : growth.to;
  const there = median(sizes);
  const text = amountIn(isHeap ? 'bytes' : 'count');
  const each = perPod ? ' per pod' : '';
  const who = tables.length === 1 ? 'a healthy peer has' : `${tables.length} healthy peers have`;
  if (there === 0) return { factor: 1, reason: `${who} none of it, here ${text(here)}${each}` };
  const ratio = here / there;
  const sizesText = `${who} ${text(there)}${each}, here ${text(here)}`;
  if (ratio <= 1.5) return { factor: 0.1, reason: `${sizesText}: no more than usual` };
  // Between 1.5 and 4 times as much, the doubt fades.
  if (ratio < 4)
    return { factor: 0.1 + (0.9 * (ratio - 1.5)) / 2.5, reason: `${sizesText}: ${ratio.toFixed(1)} times` };
  return { factor: 1, reason: `${sizesText}: ${ratio.toFixed(1)} times` };
}

/**
 * How much a family of goroutines would change by chance if as many came as left.
 *
 *     arrived A, left D   ->   the change A - D has a standard error of sqrt(A + D)
 *
 * Two dumps that list goroutines show A and D by their ids, which are never reused. Counts alone do not: then all of the
 * first may have left, and all of the last arrived.
 */
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
