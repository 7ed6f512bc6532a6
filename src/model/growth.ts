/** Growth: a family's change over the snapshots of one process. */
import type { Family } from './family.ts';

export interface GrowthPoint {
  readonly atSeconds: number | undefined;
  readonly count: number;
  readonly bytes: number;
}

export interface Growth {
  readonly family: Family;
  readonly points: readonly GrowthPoint[];
  /** In goroutines, or in bytes for heap. */
  readonly from: number;
  readonly to: number;
  readonly delta: number;
  /**
   * Undefined without times, and when they span less than five minutes; of heap profiles whose collections are known,
   * less than ten seconds.
   */
  readonly perHour: number | undefined;
  /** Heap only: between these with 95 %, as far as sampling goes; undefined without a rate. */
  readonly perHourRange: readonly [low: number, high: number] | undefined;
  /** Undefined unless the number of operations was given. */
  readonly perOperation: number | undefined;
  /** Never fell from one snapshot to the next, and rose at least twice; of two snapshots, rose. */
  readonly monotone: boolean;
  /** Absent from the first snapshot, or from the last. */
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** Standard error of `delta` from heap sampling; 0 for goroutines, which are counted. */
  readonly deltaError: number;
  /** Whether the change is more than sampling and churn explain, with the reason in words. */
  readonly significant: boolean;
  readonly why: string;
}
