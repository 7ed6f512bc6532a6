/** What a store takes and returns. */
import type { QueuedNotice } from './notification.ts';
import type { PlanRecord } from './plan-log.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Resource } from '../evidence/resource.ts';
import type { CaptureKind } from '../evidence/capture.ts';

/** What a store keeps beside samples, by kind. */
export interface RecordKinds {
  readonly event: TargetEvent;
  readonly 'verdict-change': StoredVerdictChange;
  /** Replaces the incident of that id. */
  readonly incident: StoredIncident;
  readonly capture: StoredCapture;
  /** Not delivered yet. Replaces the notice of that id for that destination. */
  readonly notice: QueuedNotice;
  /** Plans and what was done with them are only added: nothing is ever replaced. */
  readonly plan: StoredPlan;
  readonly 'plan-log': PlanRecord;
  /** Replaces the setting of that key. */
  readonly setting: Setting;
}

export type RecordKind = keyof RecordKinds;

type OfKind<K extends RecordKind> = {
  readonly [Kind in K]: { readonly kind: Kind; readonly record: RecordKinds[Kind] };
}[K];

/** What can be put: captures are added with their bytes, and a notice goes when it is delivered or given up. */
export type NewRecord = OfKind<Exclude<RecordKind, 'capture'>> | DroppedNotice;

/** What a leader writes: each replaces what was written before, or is kept once, so writing it twice does no harm. */
export type LeaderRecord = Exclude<NewRecord, { readonly kind: 'event' | 'verdict-change' }>;

export interface DroppedNotice {
  readonly kind: 'dropped-notice';
  readonly record: { readonly destination: string; readonly noticeId: string };
}

/** What is not given does not restrict. Only what the records of a kind have may be given. */
export interface RecordQuery<K extends RecordKind = RecordKind> {
  readonly kind: K;
  /** The id of an incident, a capture or a plan; the key of a setting; the plan whose log it is. */
  readonly id?: string | undefined;
  /** Events, verdict changes and captures of this target, or of these. */
  readonly target?: string | readonly string[] | undefined;
  /** Events and verdict changes from this time on, and until that one; both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only events of this kind. */
  readonly event?: WatchedEvent['kind'] | undefined;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
}

export interface TargetEvent extends WatchedEvent {
  readonly target: string;
}

export interface StoredVerdictChange {
  readonly at: number;
  readonly target: string;
  readonly resource: Resource;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly reason: string;
}

/** A plan that was made for an incident. */
export interface StoredPlan {
  readonly id: string;
  readonly incidentId: string;
  /** As they call themselves. */
  readonly madeBy: string;
  readonly madeAt: number;
  /** A Plan; its own hash tells whether it was changed. */
  readonly document: object;
}

export interface StoredIncident {
  readonly id: string;
  readonly target: string;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** Version of the document's schema. */
  readonly version: number;
  /** Serialisable as JSON. */
  readonly document: object;
}

export interface WatchedEvent {
  readonly at: number;
  /** The text of a `change` is `ATTRIBUTE: FROM -> TO`. */
  readonly kind: 'restart' | 'reboot' | 'oom' | 'condition' | 'event' | 'verdict' | 'capture' | 'change' | 'note';
  readonly text: string;
}

/** Captures as a store takes and returns them. */

/** How many of the heap profiles that are taken by routine are kept of each target: a day of them. */
export const ROUTINE_KEPT = 4;

/** Of captures that a continuous profiler took, not Oakum. */
export const PROFILER_TRIGGER = 'profiler';

export interface NewCapture {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly trigger: string;
  readonly reason: string;
  /** `process_start_time_seconds`, which tells one life of the process from the next; undefined if unknown. */
  readonly processStartSeconds: number | undefined;
  readonly files: readonly {
    readonly kind: CaptureKind;
    readonly at: number;
    readonly truncated: string | null;
    /** What was asked: `/debug/pprof/heap?gc=1`. */
    readonly request?: string | undefined;
    readonly bytes: Uint8Array;
  }[];
}

export interface StoredCapture extends Omit<NewCapture, 'files'> {
  readonly files: readonly StoredProfile[];
}

export interface StoredProfile {
  readonly kind: CaptureKind;
  readonly at: number;
  readonly truncated: string | null;
  /** Undefined of what an earlier version stored. */
  readonly request?: string | undefined;
  readonly sha256: string;
  readonly bytes: number;
}

/** Samples as a store takes and returns them. Times are Unix seconds. */
export interface StoredTarget {
  readonly target: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Null before the first sample. */
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
}

export interface Sample {
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

const MAX_NAME_LENGTH = 1_000;
const MAX_VALUES = 2_000;
/** Far beyond any clock, and still exact to the millisecond. */
const MAX_SECONDS = Number.MAX_SAFE_INTEGER / 1000;

/** Whether a store must accept the sample: a plausible time, at most 2,000 values, and names of bounded length. */
export function isStorableSample(target: string, { at, values }: Sample): boolean {
  if (!(Math.abs(at) <= MAX_SECONDS) || target.length > MAX_NAME_LENGTH) return false;
  const names = Object.keys(values).filter(metric => Number.isFinite(values[metric]));
  return names.length <= MAX_VALUES && names.every(name => name.length <= MAX_NAME_LENGTH);
}

/** The values of a sample, in the order of its metrics. */
export type Values = readonly number[] | Float64Array;

/** A store leaves out what is not finite. */
export function finiteValues(
  metrics: readonly string[],
  values: Values,
): readonly [metrics: readonly string[], Values] {
  if (values.every(Number.isFinite)) return [metrics, values];
  const isFinite = (_: unknown, i: number): boolean => Number.isFinite(values[i]);
  return [metrics.filter(isFinite), values.filter(isFinite)];
}

export interface SampleQuery {
  readonly target: string;
  readonly metrics: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Limit per metric. Longer series are thinned; a store may keep old samples only in coarse steps. */
  readonly maxPoints: number;
}

/** Columns of equal length. A point that represents several samples has their median, lowest and highest. */
export interface SampleSeries {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export interface ReplayQuery {
  readonly from: number;
  /**
   * The coarsest step allowed; 5 minutes by default. Finer steps are available only as far back as the store keeps
   * them.
   */
  readonly stepSeconds?: number;
  /** Before this time, steps of an hour will do: a tenth of the work. -Infinity by default. */
  readonly hourlyBefore?: number;
  /** All by default. */
  readonly metrics?: readonly string[];
  /** All by default. What others have is not read: it costs as much as these targets have. */
  readonly targets?: readonly string[];
}

/** One target in one window; NaN if a metric was missing. */
export interface ReplayPart {
  readonly target: string;
  readonly times: Float64Array;
  readonly columns: readonly ReplayColumn[];
}

export interface ReplayColumn {
  readonly metric: string;
  /** The median of each step. */
  readonly values: Float64Array;
  /** The lowest of each step, for resources that are judged by their floor. */
  readonly lows: Float64Array;
}

export interface CommitResult {
  readonly committed: boolean;
  /** Samples that this commit made durable. */
  readonly samples: number;
}

export interface StoreStatus {
  /** On disk, including profiles. */
  readonly bytes: number;
  /** A sentence while something cannot be stored; null if all is well. */
  readonly degraded: string | null;
  /** Samples waiting in memory for the next commit. */
  readonly waitingSamples: number;
  /** Memory used by everything that is waiting. */
  readonly waitingBytes: number;
  /** Samples refused since the store was opened. */
  readonly lostSamples: number;
}

/** The text of `degraded` once no more can wait. */
export function withLosses(degraded: string, lostSamples: number): string {
  return `${degraded} There is no room for more: ${lostSamples} samples were lost.`;
}
