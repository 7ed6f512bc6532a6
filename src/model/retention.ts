/**
 * Retention: the share of what a heap family ever allocated that is still live.
 *
 *     since the start   allocated 129,405 objects (28 samples)   live 129,405 (28 samples)
 *     retained share    1, at least 0.93                         14 MiB in 34 min: 24.7 MiB/h
 *
 * A family's sites differ: where some of them keep everything and others nothing, the figures are those of the sites
 * that keep. Package initialisers are left out, unless there is nothing else.
 */

/** An estimate between the ends of its 95 % interval. */
export type Interval = readonly [low: number, middle: number, high: number];

/** What tells how old the process is. */
export type AgeSource =
  | 'metrics' // process_start_time_seconds
  | 'manifest' // the same, as a capture wrote it down
  | 'memstats'; // its first garbage collection: it is at least as old as that

export interface ProcessAge {
  readonly seconds: number;
  readonly from: AgeSource;
}

export interface Retention {
  /** Of sampled objects, 0 to 1. */
  readonly retainedShare: Interval;
  /** Sampled allocations, and those of them that are live. */
  readonly samples: number;
  readonly liveSamples: number;
  readonly allocatedObjects: number;
  readonly liveObjects: number;
  readonly allocatedBytes: number;
  readonly liveBytes: number;
  /** Allocation sites of the family, and how many of them keep what they allocate; the figures are of these, if any. */
  readonly sites: number;
  readonly keptSites: number;
  /** What the kept sites kept, in bytes per hour of the process's life; null without any, or without its age. */
  readonly perHour: Interval | null;
  readonly ageSeconds: number | null;
  readonly ageFrom: AgeSource | null;
  /** Allocated by code that runs once: package initialisers, registrations. */
  readonly isOneTime: boolean;
  /** What keeps by design, in words: `the store of an informer`; null where nothing of the kind is known. */
  readonly store: string | null;
  /** Of a large family that keeps everything: why that does not prove a leak, and what would decide; else null. */
  readonly undecided: string | null;
  /** Between the first and the last profile; null where there is one. */
  readonly since: NewRetention | null;
}

/** New allocations against what was newly kept. */
export interface NewRetention {
  readonly seconds: number | null;
  readonly samples: number;
  readonly allocatedBytes: number;
  readonly retainedBytes: number;
  readonly retainedShare: Interval;
}
