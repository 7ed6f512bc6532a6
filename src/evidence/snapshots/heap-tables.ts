/** The heap profiles of one process, each with the garbage collection that it shows. */
import type { FamilyTable } from '../../profile/families/family.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { MetricSeries, SnapshotOrder } from './snapshot.ts';
import type { ViewGroup } from './merge-views.ts';
import type { Collection } from '../capture.ts';

export interface HeapTableAt {
  /** When the collection ended that it shows; when it was taken, where nothing tells. Undefined without either. */
  readonly atSeconds: number | undefined;
  readonly takenAtSeconds: number | undefined;
  readonly orderedBy: SnapshotOrder;
  readonly table: FamilyTable;
  readonly truncated: string | undefined;
  readonly collection: ShownCollection | undefined;
  /** From the same moment, where a view of it is text. */
  readonly memStats: MemStats | undefined;
  /** What the collection left alive, counted and not sampled; undefined where MemStats was read at another time. */
  readonly liveBytes: number | undefined;
}

export function heapTableOf(
  group: ViewGroup,
  series: ReadonlyMap<string, MetricSeries> | undefined,
): HeapTableAt | undefined {
  const { counted, views } = group;
  if (counted.families === undefined) return undefined;
  // A file's own time is good enough to order by, but not to compute a rate from.
  const isDated = counted.takenAtFrom === 'content' || counted.takenAtFrom === 'name';
  const takenAtSeconds = isDated ? group.takenAtSeconds : undefined;
  const collection = shownCollection({ ...group, takenAtSeconds }, series);
  const memStats = views.find(view => view.memStats !== undefined)?.memStats;
  // Right after a collection all that is allocated is live.
  const isRightAfter = collection?.isExact === true && memStats?.numGc === collection.number;
  return {
    atSeconds: collection?.atSeconds ?? takenAtSeconds,
    takenAtSeconds,
    orderedBy: counted.orderedBy,
    table: counted.families,
    truncated: counted.truncated,
    collection,
    memStats,
    liveBytes: isRightAfter ? memStats?.heapAllocBytes : undefined,
  };
}

/**
 * Which garbage collection a heap profile shows, and when that was: by MemStats beside it, by the manifest of its
 * capture, or by the scrapes around it.
 */
export interface ShownCollection extends Collection {
  /** Whether its time is known to the second, and not only from scrapes. */
  readonly isExact: boolean;
}

/** A profile that was taken so soon after a collection was taken because of it, or after one that was as recent. */
const FRESH_SECONDS = 1;

export function shownCollection(
  { counted, views, takenAtSeconds }: ViewGroup,
  series: ReadonlyMap<string, MetricSeries> | undefined,
): ShownCollection | undefined {
  const memStats = views.find(view => view.memStats !== undefined)?.memStats;
  const { collection: last } = counted;
  const isForced = last?.isForced === true;
  const ended = lastCollectionOf(memStats);
  if (ended?.atSeconds !== undefined) {
    // Text tells no time but that of its last collection.
    const age = counted.format === 'pprof' ? (takenAtSeconds ?? Infinity) - ended.atSeconds : Infinity;
    const shown = isForced || (age >= 0 && age <= FRESH_SECONDS) ? ended : beforeLast(memStats);
    if (shown !== undefined) return { ...shown, isExact: true };
  }
  if (isForced) return { number: last?.number, atSeconds: last?.atSeconds ?? takenAtSeconds, isExact: true };
  const scraped = beforeScrapes(series, takenAtSeconds);
  if (last?.number !== undefined) return { number: last.number - 1, atSeconds: scraped?.atSeconds, isExact: false };
  return scraped === undefined ? undefined : { ...scraped, isExact: false };
}

/** The last one that had ended when MemStats was read. */
export function lastCollectionOf(memStats: MemStats | undefined): Collection | undefined {
  const { numGc, lastGcNanos = 0n } = memStats ?? {};
  return lastGcNanos > 0n ? { number: numGc, atSeconds: secondsOf(lastGcNanos) } : undefined;
}

/** The one before the last, from the ring of the last 256. */
function beforeLast({ numGc = 0, pauseEndNanos = [] }: MemStats = {}): Collection | undefined {
  const ended = pauseEndNanos[(numGc - 2 + pauseEndNanos.length) % pauseEndNanos.length];
  return numGc < 2 || ended === undefined || ended <= 0n
    ? undefined
    : { number: numGc - 1, atSeconds: secondsOf(ended) };
}

function secondsOf(nanos: bigint): number {
  return Number(nanos / 1000n) / 1e6;
}

/** The collection before the last one that scrapes saw before a moment; between two that they saw, by the count. */
function beforeScrapes(
  series: ReadonlyMap<string, MetricSeries> | undefined,
  seconds: number | undefined,
): Collection | undefined {
  if (seconds === undefined) return undefined;
  const seen = collectionsIn(series).filter(({ atSeconds }) => atSeconds <= seconds);
  const [before, last] = seen.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  const steps = last.number - before.number;
  const share = steps > 0 ? (steps - 1) / steps : 0;
  return {
    number: steps > 0 ? last.number - 1 : undefined,
    atSeconds: before.atSeconds + share * (last.atSeconds - before.atSeconds),
  };
}

/** Every collection that was the last one at some scrape; numbers are NaN where no counter tells. */
function collectionsIn(series: ReadonlyMap<string, MetricSeries> | undefined): { number: number; atSeconds: number }[] {
  const ends = series?.get('go_memstats_last_gc_time_seconds');
  if (ends === undefined) return [];
  const counter = series?.get('go_gc_cycles_total_gc_cycles_total') ?? series?.get('go_gc_duration_seconds_count');
  const numbers = new Map<number, number>();
  counter?.times.forEach((time, i) => numbers.set(time, counter.values[i] ?? NaN));
  const seen: { number: number; atSeconds: number }[] = [];
  ends.values.forEach((atSeconds, i) => {
    if (!(atSeconds > 0) || atSeconds === seen.at(-1)?.atSeconds) return;
    seen.push({ number: numbers.get(ends.times[i] ?? NaN) ?? NaN, atSeconds });
  });
  return seen;
}
