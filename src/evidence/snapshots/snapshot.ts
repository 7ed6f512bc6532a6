/** One input of an analysis: what it is, which process it is from, and when it was taken. */
import type { FamilyTable } from '../../profile/families/family.ts';
import type { GoroutineDump } from '../../profile/goroutine-dump.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { Profile } from '../../profile/profile.ts';
import type { LastCollection } from '../capture.ts';

export type SnapshotKind =
  | 'goroutine'
  | 'goroutineleak'
  | 'heap'
  | 'allocs'
  | 'cpu'
  | 'block'
  | 'mutex'
  | 'threadcreate'
  | 'profile' // a profile of another kind
  | 'metrics'
  | 'events' // kubectl JSON, logs: kept as context
  | 'text' // pasted numbers and tables of functions, and what stands around them
  | 'unknown';

/** Whether it was taken from a process; events, text and unknown files are context. */
export function isOfProcess({ kind }: { readonly kind: SnapshotKind }): boolean {
  return kind !== 'events' && kind !== 'text' && kind !== 'unknown';
}

/** Snapshots with the same `key` are of one life of one process; snapshots with different keys are never compared. */
export interface ProcessIdentity {
  readonly key: string;
  /** The name a user knows it by: a node, a binary, a folder. */
  readonly target: string;
  readonly buildId: string;
  readonly startTimeSeconds: number | undefined;
  /** `v1.36.0-do.1`, from metrics or given on the command line. */
  readonly version: string;
  readonly goVersion: string;
  /** What two sources tell differently about it, a sentence each. */
  readonly conflicts?: readonly string[];
}

/** The moments that paths name (before, after, t3), the order of the arguments, or the files' own times. */
export type SnapshotOrder = 'paths' | 'arguments' | 'file times';

export interface Snapshot {
  readonly path: string;
  readonly kind: SnapshotKind;
  readonly format: string;
  readonly process: ProcessIdentity;
  /** Unix seconds; undefined when unknown. */
  readonly takenAtSeconds: number | undefined;
  readonly takenAtFrom: 'content' | 'name' | 'file' | 'unknown';
  /** What the order of the undated snapshots of its process rests on. */
  readonly orderedBy: SnapshotOrder;
  /** A `?seconds=` profile: what happened in that interval, never what is in use. */
  readonly isDelta: boolean;
  readonly truncated: string | undefined;
  readonly notes: readonly string[];
  readonly families: FamilyTable | undefined;
  readonly profile: Profile | undefined;
  readonly dump: GoroutineDump | undefined;
  readonly memStats: MemStats | undefined;
  /** Heap only: the last garbage collection before it, as the manifest of a capture or the file's name tells. */
  readonly collection: LastCollection | undefined;
  /** Selected metrics: name with labels -> samples in time order. */
  readonly series: ReadonlyMap<string, MetricSeries> | undefined;
}

export interface MetricSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Unix seconds; NaN if a scrape has no time. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}
