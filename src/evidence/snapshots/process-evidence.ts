/** The evidence of one process, put together from its snapshots: family tables in time order, and its metrics. */
import type { FamilyCount, FamilyTable } from '../../profile/families/family.ts';
import { isOfProcess, type MetricSeries, type ProcessIdentity, type Snapshot, type SnapshotOrder } from './snapshot.ts';
import { carryOver } from './carry-over.ts';
import { distinctCollections } from './distinct-collections.ts';
import { heapTableOf, type HeapTableAt } from './heap-tables.ts';
import { seriesOfProcess } from './process-series.ts';
import type { ViewGroup } from './merge-views.ts';

export interface TableAt {
  /** Undefined when only the file's own date is known. */
  readonly atSeconds: number | undefined;
  readonly orderedBy: SnapshotOrder;
  readonly table: FamilyTable;
  readonly truncated: string | undefined;
}

export interface ProcessEvidence {
  readonly process: ProcessIdentity;
  readonly goroutines: readonly TableAt[];
  /** One of each garbage collection. */
  readonly heap: readonly HeapTableAt[];
  /** Heap profiles that show the same collection as the one before them. */
  readonly heapRepeats: number;
  /** What the runtime's own leak detector reported, if it ran. */
  readonly runtimeLeaks: FamilyTable | undefined;
  readonly series: ReadonlyMap<string, MetricSeries> | undefined;
}

/** One per process, in the order of the snapshots. */
export function evidenceOf(snapshots: readonly Snapshot[], viewGroups: readonly ViewGroup[]): ProcessEvidence[] {
  const processes = new Map<string, ProcessIdentity>();
  for (const { process } of snapshots.filter(isOfProcess)) processes.set(process.key, process);
  return [...processes.values()].map(process => {
    const groupsOf = (kind: Snapshot['kind']): ViewGroup[] =>
      viewGroups.filter(group => group.processKey === process.key && group.kind === kind);
    const ofKind = (kind: Snapshot['kind']): TableAt[] => groupsOf(kind).flatMap(toTable);
    const series = nonEmpty(seriesOfProcess(snapshots, process.key));
    const heap = distinctCollections(groupsOf('heap').flatMap(group => heapTableOf(group, series) ?? []));
    return {
      process,
      goroutines: carryOver(ofKind('goroutine')),
      heap: heap.tables,
      heapRepeats: heap.repeats,
      runtimeLeaks: ofKind('goroutineleak').at(-1)?.table,
      series,
    };
  });
}

function nonEmpty<K, V>(map: ReadonlyMap<K, V>): ReadonlyMap<K, V> | undefined {
  return map.size === 0 ? undefined : map;
}

/** The counts of the view to count by, with the states, waits and creators that only debug=2 shows. */
function toTable({ counted, views, takenAtSeconds }: ViewGroup): TableAt[] {
  if (counted.families === undefined) return [];
  const others = views.flatMap(view => (view === counted || view.families === undefined ? [] : [view.families]));
  const table = others.reduce(enrich, counted.families);
  // A file's own time is good enough to order by, but not to compute a rate from.
  const atSeconds = counted.takenAtFrom === 'content' || counted.takenAtFrom === 'name' ? takenAtSeconds : undefined;
  return [{ atSeconds, orderedBy: counted.orderedBy, table, truncated: counted.truncated }];
}

function enrich(table: FamilyTable, other: FamilyTable): FamilyTable {
  const byId = new Map(other.counts.map(count => [count.family.id, count]));
  const counts = table.counts.map((count): FamilyCount => {
    const more = byId.get(count.family.id);
    if (more === undefined) return count;
    // Only debug=2 prints what each goroutine waits for; the other formats show it by their frames, as far as those do.
    const prints = more.waits !== undefined || count.states.size === 0;
    return {
      ...count,
      family: prints ? more.family : count.family,
      states: prints ? more.states : count.states,
      waitMinutes: count.waitMinutes ?? more.waitMinutes,
      waits: count.waits ?? more.waits,
      creators: count.creators.size > 0 ? count.creators : more.creators,
      creatorPlaces: count.creators.size > 0 ? count.creatorPlaces : more.creatorPlaces,
      places: count.places.some(place => place !== '') ? count.places : more.places,
      labelSets: count.labelSets.some(({ labels }) => labels.length > 0) ? count.labelSets : more.labelSets,
      leaked: Math.max(count.leaked, more.leaked),
    };
  });
  return { ...table, counts };
}
