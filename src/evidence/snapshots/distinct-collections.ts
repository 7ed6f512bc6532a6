/**
 * Heap profiles of one garbage collection are one observation: that they are equal says that nothing was collected in
 * between, never that nothing grew.
 */
import type { FamilyTable, HeapAmount } from '../../profile/families/family.ts';
import type { HeapTableAt } from './heap-tables.ts';

export interface DistinctHeap {
  readonly tables: readonly HeapTableAt[];
  /** Profiles that repeat the one before them. */
  readonly repeats: number;
}

/** A process collects every two minutes, and shows a collection until the second one after it. */
const LONGEST_SHOWN_SECONDS = 300;

/** In time order, the first of each collection; one with MemStats goes before one without. */
export function distinctCollections(tables: readonly HeapTableAt[]): DistinctHeap {
  const distinct: HeapTableAt[] = [];
  for (const table of tables) {
    const before = distinct.at(-1);
    if (before === undefined || !isSameCollection(before, table)) distinct.push(table);
    else if (before.memStats === undefined && table.memStats !== undefined) distinct[distinct.length - 1] = table;
  }
  return { tables: distinct, repeats: tables.length - distinct.length };
}

/** By number where both are exact, else by content: equal to the last allocation, and not too far apart. */
function isSameCollection(a: HeapTableAt, b: HeapTableAt): boolean {
  const [x, y] = [a.collection?.number, b.collection?.number];
  const isExact = a.collection?.isExact === true && b.collection?.isExact === true;
  // A number from a scrape may be older than the profile, so that two collections have the same one.
  if (isExact && x !== undefined && x === y) return true;
  const [n, m] = [a.memStats?.numGc, b.memStats?.numGc];
  if (n !== undefined && n === m) return true;
  // A profile that forced no collection may show either of the last two.
  if (x !== undefined && y !== undefined && Math.abs(y - x) > 1) return false;
  const apart = (b.takenAtSeconds ?? NaN) - (a.takenAtSeconds ?? NaN);
  return !(apart > LONGEST_SHOWN_SECONDS) && isEqual(a.table, b.table);
}

/** In every site, what is live and what was ever allocated; where nothing tells that, in every family. */
function isEqual(a: FamilyTable, b: FamilyTable): boolean {
  if (a.total !== b.total || a.counts.length !== b.counts.length) return false;
  const other = new Map(b.counts.map(count => [count.family.id, count]));
  return a.counts.every(({ family, count, bytes, sites }) => {
    const twin = other.get(family.id);
    if (twin === undefined || twin.count !== count || twin.bytes !== bytes) return false;
    const twins = new Map(twin.sites.map(site => [site.frames.join('\n'), site]));
    return sites.every(site => {
      const same = twins.get(site.frames.join('\n'));
      return same !== undefined && isAlike(same.live, site.live) && isAlike(same.allocated, site.allocated);
    });
  });
}

function isAlike(a: HeapAmount, b: HeapAmount): boolean {
  return a.objects === b.objects && a.bytes === b.bytes;
}
