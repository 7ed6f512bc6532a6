/**
 * Healthy peers as a reference: families of similar size there are not suspect. A kubelet's steady families are many
 * and large; this removes them from the top of the list.
 */
import type { FamilyTable } from '../../profile/families/family.ts';
import type { Growth } from './growth.ts';
import { amountIn } from '../../base/say.ts';
import { median } from './theil-sen.ts';

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
