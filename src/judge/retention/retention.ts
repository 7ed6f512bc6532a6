/**
 * Retention: the share of everything a heap family ever allocated that is still live.
 *
 *     since the start   allocated 129,405 objects (28 samples)   live 129,405 (28 samples)
 *     retained share    1, at least 0.93                         14 MiB in 34 min: 24.7 MiB/h
 *
 * The sites of a family differ: if some keep everything and others nothing, the figures describe the sites that keep.
 * Package initialisers are left out, unless there is nothing else.
 */

import type { AgeSource } from '../../evidence/snapshots/process-age.ts';

/** An estimate between the ends of its 95 % interval. */
export type Interval = readonly [low: number, middle: number, high: number];

export interface Retention {
  /** Share of sampled objects, 0 to 1. */
  readonly retainedShare: Interval;
  /** Sampled allocations, and those of them that are live. */
  readonly samples: number;
  readonly liveSamples: number;
  readonly allocatedObjects: number;
  readonly liveObjects: number;
  readonly allocatedBytes: number;
  readonly liveBytes: number;
  /** Allocation sites of the family, and how many keep what they allocate. The figures describe the latter, if any. */
  readonly sites: number;
  readonly keptSites: number;
  /** What those sites kept, in bytes per hour of the process's life; null without any, or if the age is unknown. */
  readonly perHour: Interval | null;
  readonly ageSeconds: number | null;
  readonly ageFrom: AgeSource | null;
  /** Allocated by code that runs once: package initialisers, registrations. */
  readonly isOneTime: boolean;
  /** Why it keeps by design: `the store of an informer`; null if no reason is known. */
  readonly store: string | null;
  /** For a large family that keeps everything: why that does not prove a leak, and what would. Otherwise null. */
  readonly undecided: string | null;
  /** Between the first and the last profile; null if there is only one. */
  readonly since: NewRetention | null;
}

/** New allocations, and what was newly kept. */
export interface NewRetention {
  readonly seconds: number | null;
  readonly samples: number;
  readonly allocatedBytes: number;
  readonly retainedBytes: number;
  readonly retainedShare: Interval;
}
