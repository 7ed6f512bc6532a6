/** Heap in use by owner. Go's heap profiles have no labels, so owners are inferred. */
import type { FamilyTable } from './family.ts';
import type { HeapOwner } from './label-tables.ts';
import { ownerOf } from './owner.ts';

/** Largest first. */
export function heapByOwner(table: FamilyTable): HeapOwner[] {
  const byOwner = new Map<string, { owner: string; bytes: number; objects: number; samples: number }>();
  for (const { family, bytes, count, samples } of table.counts) {
    const { name } = ownerOf(family);
    let row = byOwner.get(name);
    if (row === undefined) byOwner.set(name, (row = { owner: name, bytes: 0, objects: 0, samples: 0 }));
    row.bytes += bytes;
    row.objects += count;
    row.samples += samples;
  }
  return [...byOwner.values()].sort((a, b) => b.bytes - a.bytes || (a.owner < b.owner ? -1 : 1));
}
