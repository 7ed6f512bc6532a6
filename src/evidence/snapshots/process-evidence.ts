/** The evidence of one process, put together from its snapshots: family tables in time order, and its metrics. */
import type { FamilyCount, FamilyTable, HeapAmount } from '../../profile/families/family.ts';
import { isOfProcess, type MetricSeries, type ProcessIdentity, type Snapshot, type SnapshotOrder } from './snapshot.ts';
import { heapTableOf, type HeapTableAt } from './heap-tables.ts';
import { seriesOfProcess } from './process-series.ts';
import type { ViewGroup } from './merge-views.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';

/** A process collects every two minutes, and shows a collection until the second one after it. */
const LONGEST_SHOWN_SECONDS = 300;

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

/**
 * What the last goroutine snapshot cannot show is taken from the newest one that can: up to Go 1.26 only debug=0 and
 * debug=1 have labels, and only debug=2 has creators.
 *
 *     10:00  debug=1   labels                 owner kcp-kube-quota
 *     10:05  debug=2            creators      labels and owner as of 10:00
 */
interface WithTable {
  readonly table: FamilyTable;
}

/** In time order. Only the last table changes: it is the one that findings describe. */
function carryOver<T extends WithTable>(tables: readonly T[]): readonly T[] {
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

/**
 * Heap profiles of one garbage collection are one observation: that they are equal says that nothing was collected in
 * between, never that nothing grew.
 */
interface DistinctHeap {
  readonly tables: readonly HeapTableAt[];
  /** Profiles that repeat the one before them. */
  readonly repeats: number;
}

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
  const seconds = (b.takenAtSeconds ?? NaN) - (a.takenAtSeconds ?? NaN);
  return !(seconds > LONGEST_SHOWN_SECONDS) && isEqual(a.table, b.table);
}

/** Compares what is live and what was ever allocated at every site; where sites are unknown, in every family. */
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

/** The source of the process's age. */
export type AgeSource =
  | 'metrics' // process_start_time_seconds
  | 'manifest' // the same, as recorded by a capture
  | 'memstats'; // its first garbage collection: it is at least as old as that

export interface ProcessAge {
  readonly seconds: number;
  readonly from: AgeSource;
}

/** How old a process was when a profile of it was taken, and how that is known. */
export function ageAt(
  { process, series }: ProcessEvidence,
  { atSeconds, memStats }: HeapTableAt,
): ProcessAge | undefined {
  if (atSeconds === undefined) return undefined;
  const isMeasured = series?.has('process_start_time_seconds') === true;
  const { startTimeSeconds } = process;
  if (startTimeSeconds !== undefined) return age(atSeconds - startTimeSeconds, isMeasured ? 'metrics' : 'manifest');
  const first = firstCollectionSeconds(memStats);
  return first === undefined ? undefined : age(atSeconds - first, 'memstats');
}

function age(seconds: number, from: ProcessAge['from']): ProcessAge | undefined {
  return seconds > 0 ? { seconds, from } : undefined;
}

/** MemStats keeps the ends of the last 256 collections; a Go program has its first one soon after its start. */
export function firstCollectionSeconds(memStats: MemStats | undefined): number | undefined {
  const { numGc = 0, pauseEndNanos = [] } = memStats ?? {};
  if (numGc === 0 || numGc > pauseEndNanos.length) return undefined;
  const [first = 0n] = pauseEndNanos;
  return first > 0n ? Number(first / 1_000_000n) / 1000 : undefined;
}
