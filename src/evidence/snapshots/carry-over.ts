/**
 * What the last goroutine snapshot cannot show is taken from the newest one that can: up to Go 1.26 only debug=0 and
 * debug=1 have labels, and only debug=2 has creators.
 *
 *     10:00  debug=1   labels                 owner kcp-kube-quota
 *     10:05  debug=2            creators      labels and owner as of 10:00
 */
import type { FamilyCount, FamilyTable } from '../../profile/families/family.ts';

interface WithTable {
  readonly table: FamilyTable;
}

/** In time order. Only the last table changes: it is the one that findings describe. */
export function carryOver<T extends WithTable>(tables: readonly T[]): readonly T[] {
  const last = tables.at(-1);
  if (last === undefined || tables.length < 2) return tables;
  const earlier = tables.slice(0, -1).toReversed();
  // A table that shows it for any family would show it for all that have it.
  const labelled = hasLabels(last.table) ? undefined : earlier.find(({ table }) => hasLabels(table));
  const created = hasCreators(last.table) ? undefined : earlier.find(({ table }) => hasCreators(table));
  if (labelled === undefined && created === undefined) return tables;
  const [labelsOf, creatorsOf] = [byId(labelled), byId(created)];
  const counts = last.table.counts.map((count): FamilyCount => {
    const { labelSets = [] } = labelsOf.get(count.family.id) ?? {};
    const { creators, creatorPlaces } = creatorsOf.get(count.family.id) ?? count;
    return labelSets.length === 0
      ? { ...count, creators, creatorPlaces }
      : { ...count, creators, creatorPlaces, labelSets, labelsAreOlder: true };
  });
  return [...tables.slice(0, -1), { ...last, table: { ...last.table, counts } }];
}

function byId(at: WithTable | undefined): ReadonlyMap<string, FamilyCount> {
  return new Map(at?.table.counts.map(count => [count.family.id, count]));
}

function hasLabels({ counts }: FamilyTable): boolean {
  return counts.some(({ labelSets }) => labelSets.some(({ labels }) => labels.length > 0));
}

function hasCreators({ counts }: FamilyTable): boolean {
  return counts.some(({ creators }) => creators.size > 0);
}
