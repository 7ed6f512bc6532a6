/**
 * What the detector concludes about a target from its metrics alone.
 *
 *     samples of many targets  ->  createFleetDetector  ->  TargetVerdict per target
 */
import type { AttributeChange, CohortVerdict } from '../cohorts/cohort-model.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { Verdict } from '../verdict.ts';
import type { Attributes } from '../../evidence/target.ts';

/** Low and high; the high end may be Infinity. */
export type Interval = readonly [low: number, high: number];

/** Why a rise is not a leak of the process; the reasons have the sentence. */
export type Explanation =
  | 'density' // more pods
  | 'churn' // more pod starts, execs, probes
  | 'step' // one jump, flat before and after
  | 'plateau' // settles
  | 'went away' // rose and fell again
  | 'workload' // the pods' working set, not the process
  | 'not returned' // resident memory high, live heap flat: the runtime keeps freed memory
  | 'fragmentation' // heap in use far above what is live
  | 'profiler buckets' // the runtime's own profiling records
  | 'hung peer' // calls to the container runtime fail or do not end
  | 'restart storm' // many lives in a short time
  | 'unproved'; // its interval excludes zero, but chance may still explain it

/** What drives a leak: the count that explains the rise best. */
export interface LeakClock {
  /** `hour`, `pod start`, `probe`, `API reconnect`, ... */
  readonly per: string;
  /** Units of the resource (bytes or a count) for each. */
  readonly amount: number;
}

/** What a time to the limit is computed from: (value - level) / perHour. */
export interface LimitInputs {
  readonly value: number;
  /** What counts towards the limit, now: for the live heap, resident memory. */
  readonly level: number;
  /** 90 % interval of its rise, with what the future may change. */
  readonly perHour: Interval;
}

export interface ResourceVerdict {
  readonly resource: Resource;
  readonly verdict: Verdict;
  /** The metric that was judged, as exposed: `go_gc_heap_live_bytes`. */
  readonly metric: string;
  readonly unit: ResourceUnit;
  /** The last settled level. */
  readonly level: number;
  /** Growth per hour that pods and churn do not explain. */
  readonly slopePerHour: number;
  /** 90 % interval. */
  readonly slopeInterval: Interval;
  /** Unix seconds at which the rise began; undefined if it began before the record, or if nothing rises. */
  readonly onsetSeconds: number | undefined;
  /** Hours from now to the limit, 90 % interval; undefined if no limit is known or nothing rises. */
  readonly timeToLimitHours: Interval | undefined;
  /** Given with the time to the limit. */
  readonly limit?: LimitInputs | undefined;
  readonly clock: LeakClock | undefined;
  readonly explanation: Explanation | undefined;
  /** Sentences with numbers: first the verdict in one line, then its grounds, last what would change it. */
  readonly reasons: readonly string[];
}

export interface TargetVerdict {
  readonly target: string;
  /** The worst of its resources. */
  readonly verdict: Verdict;
  /** Worst first. */
  readonly resources: readonly ResourceVerdict[];
}

/** Takes samples in time order per target, and keeps at most 5 KB per target and resource. */
export interface FleetDetector {
  /** Keys of `values` are metric names as exposed. Any may be missing; values that are not finite are skipped. */
  observe(target: string, atSeconds: number, values: Readonly<Record<string, number>>): void;
  evaluate(atSeconds: number): readonly TargetVerdict[];
  /** Remembers what `evaluate` would, without saying it: for the evaluations on the way to the one that counts. */
  learn(atSeconds: number): void;
  /**
   * Says what a target is, at any time; attributes that are not named stay as they are. A value that differs from the
   * last one is a change, at `atSeconds` or at the target's last sample. Returns the changes.
   */
  describe(target: string, attributes: Attributes, atSeconds?: number): readonly AttributeChange[];
  /**
   * Which attribute values come with growth: worst first. What pods explain is learned by `evaluate`, and leaks that it
   * found count; `isProved` adds those that are known otherwise, such as from captures.
   */
  evaluateCohorts(
    atSeconds: number,
    isProved?: (target: string, resource: Resource) => boolean,
  ): readonly CohortVerdict[];
  /** All about it: its samples, its verdicts, and what it is. */
  forget(target: string): void;
  /** Takes over the samples and verdicts of another detector of the same kind, which is not used any more. */
  adopt(other: FleetDetector): void;
}
