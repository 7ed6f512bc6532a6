/** The result of `oakum detect`: what `-o json` prints (schema `oakum.detection/v1`, docs/detect-json.md). */
import type { CohortVerdict } from '../cohorts/cohort-model.ts';
import type { Explanation, LeakClock } from './detection.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Verdict } from '../verdict.ts';
import type { Resource, ResourceUnit } from '../../evidence/resource.ts';
import type { UnreadFile } from '../../evidence/pile.ts';

export interface Detection {
  readonly schema: 'oakum.detection/v1';
  /** The worst of the targets. */
  readonly verdict: Verdict;
  /** RFC 3339: the time of the judgement, which uses everything recorded up to then. */
  readonly at: string;
  /** How many times faster than real time the recording ran; 1 by default. */
  readonly timeScale: number;
  /** Worst first. */
  readonly targets: readonly DetectedTarget[];
  /** Attribute values that come with growth; only those that leak or may. */
  readonly cohorts: readonly RecordedCohort[];
  /** Verdict changes as they would have appeared, in time order; null without --replay. */
  readonly changes: readonly VerdictChange[] | null;
  readonly inputs: DetectionInputs;
}

/** A cohort verdict as JSON: what is not known is null. */
export type RecordedCohort = Omit<
  CohortVerdict,
  'ratePerHour' | 'growsSinceSeconds' | 'perPod' | 'sinceSeconds' | 'spreadPerHour' | 'hoursForOne'
> & {
  readonly ratePerHour: readonly [low: number, middle: number, high: number] | null;
  readonly perPod: readonly [low: number, middle: number, high: number] | null;
  readonly spreadPerHour: number | null;
  readonly hoursForOne: number | null;
  /** RFC 3339; null if all had the value before the recording. */
  readonly since: string | null;
  /** RFC 3339; only if they began to grow within the hours that were compared. */
  readonly growsSince?: string;
};

export interface DetectedTarget {
  readonly target: string;
  /** What the target is: `version`, `go` and others, as last seen; feature gates are left out. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly verdict: Verdict;
  /** The first and the last sample that were used. */
  readonly from: string;
  readonly to: string;
  /** Number of times at which something was recorded. */
  readonly sampleCount: number;
  /** Worst first. */
  readonly resources: readonly ResourceDetection[];
}

export interface ResourceDetection {
  readonly resource: Resource;
  readonly verdict: Verdict;
  readonly metric: string;
  readonly unit: ResourceUnit;
  readonly level: number | null;
  readonly slopePerHour: number | null;
  /** 90 % interval. */
  readonly slopeInterval: readonly [number, number] | null;
  /** RFC 3339; null if the rise began before the recording, or if nothing rises. */
  readonly onset: string | null;
  /** 90 % interval; its high end is null if there is none. Null if no limit is known or nothing rises. */
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** What that is computed from: (value - level) / perHour; null without a time. */
  readonly limit: LimitBasis | null;
  readonly clock: LeakClock | null;
  readonly explanation: Explanation | null;
  /** First the verdict in one line, then its grounds, last what would change it. */
  readonly reasons: readonly string[];
  /** The evidence that decided. */
  readonly ledger: Ledger;
  /** Means over equal parts of the time from `from` to `to`; null where nothing was recorded. */
  readonly history: readonly (number | null)[];
}

/** What a time to a limit is computed from, so that anyone can do it again: (value - level) / perHour. */
export interface LimitBasis {
  readonly value: number;
  /** `cgroup`, `given`, `process_max_fds`. */
  readonly from: string;
  /** What counts towards the limit: for the live heap, resident memory. */
  readonly of: string;
  /** How much of it there is now. */
  readonly level: number;
  /** 90 % interval of its rise, with what the future may change. */
  readonly perHour: readonly [number, number];
}

export interface VerdictChange {
  readonly at: string;
  readonly target: string;
  readonly resource: Resource;
  readonly from: Verdict;
  readonly to: Verdict;
  /** Why, in one line. */
  readonly reason: string;
}

export interface DetectionInputs {
  readonly readCount: number;
  /** Other files that are not metrics. */
  readonly otherCount: number;
  readonly unread: readonly UnreadFile[];
  readonly notes: readonly string[];
}
