/** What the manifest of a capture says about the files beside it. */
import { type CaptureEntry, type CaptureManifest, isForcingCollection, type LastCollection } from '../capture.ts';

export interface CaptureRecord {
  /** `node/worker-17` */
  readonly target: string;
  readonly version: string;
  readonly goVersion: string;
  /** By file name. */
  readonly files: ReadonlyMap<string, CapturedFile>;
}

export interface CapturedFile {
  /** By the target's own clock, like the times in the profiles that it made. */
  readonly takenAtSeconds: number;
  readonly truncated: string | undefined;
  /** When the process began, from the metrics of the same set. */
  readonly startTimeSeconds: number | undefined;
  /** Heap only: the last garbage collection before it. */
  readonly collection: LastCollection | undefined;
}

export function captureRecordOf({
  target,
  version,
  goVersion,
  processStartSeconds,
  entries,
}: CaptureManifest): CaptureRecord {
  const files = new Map<string, CapturedFile>();
  for (const entry of entries) {
    const { file, set, takenAtSeconds, skewSeconds, truncated } = entry;
    if (file === undefined) continue;
    files.set(file, {
      takenAtSeconds: takenAtSeconds + (skewSeconds ?? 0),
      truncated,
      startTimeSeconds: processStartSeconds[set - 1],
      collection: collectionOf(entry, entries),
    });
  }
  return { target, version: version ?? '', goVersion: goVersion ?? '', files };
}

/** What a forced collection tells of itself, else what the scrape of the same set saw last. */
function collectionOf(
  { kind, set, request, collection }: CaptureEntry,
  entries: readonly CaptureEntry[],
): LastCollection | undefined {
  if (kind !== 'heap' && kind !== 'heap-d1') return undefined;
  const isForced = isForcingCollection(request);
  const scraped = entries.find(entry => entry.kind === 'metrics' && entry.set === set)?.collection;
  const last = collection ?? (isForced ? undefined : scraped);
  return { number: last?.number, atSeconds: last?.atSeconds, isForced };
}
