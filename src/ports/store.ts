/**
 * What `oakum watch` remembers, as the engine sees it: samples, events, verdicts, incidents, captures.
 *
 *     store.addSample('node/worker-17', at, { go_goroutines: 310, ... });   // in memory
 *     store.addEvent('node/worker-17', { at, kind: 'restart', text });      // in memory
 *     await store.commit();                                                 // all of it on disk, or all of it waits
 *     await store.maintain(now);                                            // seals, rolls up, forgets; a little each time
 *
 * One commit per round. What a commit reported as committed survives kill -9 and a power cut. Reads see committed data.
 * Times are Unix seconds.
 */
import { Failure } from '../base/failure.ts';
import type { CaptureKind } from '../model/capture.ts';
import type { DetectedResource } from '../model/detection.ts';
import type { WatchedEvent } from '../model/watch.ts';
import type { Verdict } from '../model/verdict.ts';

export interface WatchStore {
  /** Merges the attributes into what is known of the target. */
  putTarget(target: string, attributes: Readonly<Record<string, string>>): void;
  /** What is not finite is left out. False when it could not be taken: the disk refuses and the waiting room is full. */
  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean;
  addEvent(target: string, event: WatchedEvent): boolean;
  addVerdictChange(change: StoredVerdictChange): boolean;
  /** Replaces the incident of that id. */
  putIncident(incident: StoredIncident): boolean;
  putMeta(key: string, value: string): boolean;
  /** Never throws for a disk that refuses: the answer says so, and the next commit tries again. */
  commit(): Promise<CommitResult>;

  /** Durable when it resolves. Then, and only then, older captures make room for it. Throws a StoreError. */
  addCapture(capture: NewCapture): Promise<StoredCapture>;

  targets(): Promise<readonly StoredTarget[]>;
  /** The last that came; of those that came more than an hour ago, the latest by its clock. */
  latest(target: string): Promise<Sample | undefined>;
  query(query: SampleQuery): Promise<readonly SampleSeries[]>;
  /** The past in windows of six hours, for detectors: all parts of a window come before any of the next. */
  replay(query: ReplayQuery): AsyncIterable<ReplayPart>;
  events(target: string, from: number, to: number): Promise<readonly WatchedEvent[]>;
  /** Of one target, or of all; in time order. */
  verdictChanges(from: number, to: number, target?: string): Promise<readonly StoredVerdictChange[]>;
  /** Newest first. */
  incidents(): Promise<readonly StoredIncident[]>;
  incident(id: string): Promise<StoredIncident | undefined>;
  /** Newest first; of one target, or of all. */
  captures(target?: string): Promise<readonly StoredCapture[]>;
  capture(id: string): Promise<StoredCapture | undefined>;
  /** Undefined when there is none; throws a StoreError when it is not what was written. */
  readProfile(sha256: string): Promise<Uint8Array | undefined>;
  meta(key: string): Promise<string | undefined>;

  /** A bounded piece of upkeep; call it after each commit. */
  maintain(now: number): Promise<void>;
  status(): StoreStatus;
  /** Commits what waits, and lets the next process in. */
  close(): Promise<void>;
}

export interface CommitResult {
  readonly committed: boolean;
  /** Samples that this commit made durable. */
  readonly samples: number;
}

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

export interface SampleQuery {
  readonly target: string;
  readonly metrics: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Of each metric. Longer answers are thinned; what is old is only known in steps of 5 minutes or an hour. */
  readonly maxPoints: number;
}

/** Columns of one length. A point of a step has the median, and the lowest and highest beside it. */
export interface SampleSeries {
  readonly metric: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export interface ReplayQuery {
  readonly from: number;
  /** Steps no coarser than this; 5 minutes when left out. Below that, what is still kept as it was sampled. */
  readonly stepSeconds?: number;
  /** All when left out. */
  readonly metrics?: readonly string[];
}

/** One target in one window, in steps; what is newest as it was sampled. NaN where a metric was missing. */
export interface ReplayPart {
  readonly target: string;
  readonly times: Float64Array;
  readonly columns: readonly ReplayColumn[];
}

export interface ReplayColumn {
  readonly metric: string;
  /** The median of each step. */
  readonly values: Float64Array;
  /** The lowest of each step, for what is judged by its floor. */
  readonly lows: Float64Array;
}

export interface StoredVerdictChange {
  readonly at: number;
  readonly target: string;
  readonly resource: DetectedResource;
  readonly from: Verdict;
  readonly to: Verdict;
  readonly reason: string;
}

export interface StoredIncident {
  readonly id: string;
  readonly target: string;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** Of the document's shape, the engine's own count. */
  readonly version: number;
  /** JSON. */
  readonly document: unknown;
}

export interface NewCapture {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly trigger: string;
  readonly reason: string;
  /** `process_start_time_seconds`: tells one life of the process from the next; undefined when it is not known. */
  readonly processStartSeconds: number | undefined;
  readonly files: readonly {
    readonly kind: CaptureKind;
    readonly at: number;
    readonly truncated: string | null;
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
  readonly sha256: string;
  readonly bytes: number;
}

export interface StoreStatus {
  /** On disk: the database with its log, and the profiles. */
  readonly bytes: number;
  /** A sentence while something cannot be kept; null when all is well. */
  readonly degraded: string | null;
  /** Samples that wait in memory for the disk. */
  readonly waitingSamples: number;
  /** Samples that were turned away since the store was opened. */
  readonly lostSamples: number;
}

export type StoreErrorKind =
  | 'busy' // another process has it
  | 'damaged'
  | 'newer' // written by a later version
  | 'disk' // full, read-only, not permitted
  | 'lost' // another process took it over
  | 'refused'; // what was asked for is out of bounds

/** One line that says what, where, and what to do. */
export class StoreError extends Failure {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(`store-${kind}`, message, options);
    this.kind = kind;
  }
}
