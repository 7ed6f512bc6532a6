/** Growth: how a family changed over the snapshots of one process. */
import type { Family } from '../../profile/families/family.ts';

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
   * Undefined without times, or if they span less than five minutes (ten seconds for heap profiles whose collections
   * are known).
   */
  readonly perHour: number | undefined;
  /** Heap only: 95 % interval of the sampling error; undefined without a rate. */
  readonly perHourRange: readonly [low: number, high: number] | undefined;
  /** Undefined unless the number of operations was given. */
  readonly perOperation: number | undefined;
  /** Never fell between two snapshots, and rose at least twice; with only two snapshots, rose. */
  readonly monotone: boolean;
  /** Absent from the first snapshot, or from the last. */
  readonly isNew: boolean;
  readonly isGone: boolean;
  /** Standard error of `delta` from heap sampling; 0 for goroutines, which are counted. */
  readonly deltaError: number;
  /** Whether the change exceeds what sampling and churn explain, and why. */
  readonly significant: boolean;
  /** Goroutines only: it rose, but by so little that coming and going may have done it. */
  readonly mayBeChurn: boolean;
  readonly why: string;
}
