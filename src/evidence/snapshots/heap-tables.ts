/** The heap profiles of one process, each with the garbage collection that it shows. */
import type { FamilyTable } from '../../profile/families/family.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { MetricSeries, SnapshotOrder } from './snapshot.ts';
import type { ViewGroup } from './merge-views.ts';
import { shownCollection, type ShownCollection } from './shown-collection.ts';

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
  const isTold = counted.takenAtFrom === 'content' || counted.takenAtFrom === 'name';
  const takenAtSeconds = isTold ? group.takenAtSeconds : undefined;
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
