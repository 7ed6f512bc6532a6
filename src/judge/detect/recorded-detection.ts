/** The result of `oakum detect`: what `-o json` prints (schema `oakum.detection/v1`, docs/detect-json.md). */
import type { CohortVerdict, RateInterval } from '../cohorts/cohort-model.ts';
import type { Explanation, Interval, LeakClock, LimitInputs, ResourceVerdict } from './detection.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Verdict } from '../verdict.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { UnreadFile } from '../../evidence/pile.ts';
import { finiteOrNull } from '../../base/finite.ts';
import { timeText } from '../../base/say.ts';

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

/** A resource's verdict as JSON: times as RFC 3339, and null for what is not known. */
export type ResourceDetection = Omit<
  ResourceVerdict,
  'level' | 'slopePerHour' | 'slopeInterval' | 'onsetSeconds' | 'timeToLimitHours' | 'limit' | 'clock' | 'explanation'
> & {
  readonly level: number | null;
  readonly slopePerHour: number | null;
  readonly slopeInterval: Interval | null;
  readonly onset: string | null;
  /** Its high end is null if there is none. */
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** What that is computed from: (value - level) / perHour; null without a time. */
  readonly limit: LimitBasis | null;
  readonly clock: LeakClock | null;
  readonly explanation: Explanation | null;
  /** The evidence that decided. */
  readonly ledger: Ledger;
  /** Means over equal parts of the time from `from` to `to`; null where nothing was recorded. */
  readonly history: readonly (number | null)[];
};

/** What a time to a limit is computed from, so that anyone can do it again. */
export interface LimitBasis extends LimitInputs {
  /** `cgroup`, `given`, `process_max_fds`. */
  readonly from: string;
  /** What counts towards the limit: for the live heap, resident memory. */
  readonly of: string;
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

/** A cohort verdict as a recording prints it. */

export function recordedCohort(verdict: CohortVerdict): RecordedCohort {
  const { ratePerHour, growsSinceSeconds, perPod, sinceSeconds, spreadPerHour, hoursForOne, ...others } = verdict;
  return {
    ...others,
    ratePerHour: known(ratePerHour),
    perPod: known(perPod),
    spreadPerHour: finiteOrNull(spreadPerHour),
    hoursForOne: finiteOrNull(hoursForOne),
    since: sinceSeconds === undefined ? null : timeText(sinceSeconds),
    ...(growsSinceSeconds === undefined ? {} : { growsSince: timeText(growsSinceSeconds) }),
  };
}

function known(rate: RateInterval | undefined): RateInterval | null {
  return rate !== undefined && rate.every(Number.isFinite) ? rate : null;
}
