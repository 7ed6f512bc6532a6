/** The result of `oakum bisect`: what `-o json` prints (schema `oakum.bisection/v1`, docs/bisect-json.md). */
import type { RecordedCohort } from '../detect/recorded-detection.ts';
import type { ResourceSlug } from '../../evidence/resource.ts';
import type { Verdict } from '../verdict.ts';

export interface Bisection {
  readonly schema: 'oakum.bisection/v1';
  /** RFC 3339. */
  readonly at: string;
  /** The worst of the cohorts; `unknown` if nothing could be compared. */
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly targetCount: number;
  /** Attribute values that come with growth, the surest first. */
  readonly culprits: readonly Culprit[];
  /** Values that seem to come with growth, but too few targets or hours show it; the likeliest first. */
  readonly unproved: readonly Culprit[];
  /** What was compared. */
  readonly compared: readonly { readonly attribute: string; readonly valueCount: number }[];
  /** What changed in the recorded time, the most targets first. */
  readonly changes: readonly ChangeSummary[];
  readonly notes: readonly string[];
}

export interface Culprit extends RecordedCohort {
  /** Known leaks of this version that fit. */
  readonly known: readonly KnownInVersion[];
  /** Those of them that the captures of its targets show: these prove it, however few targets there are. */
  readonly confirmed: readonly ConfirmedCause[];
  /** What to try to be sure, and what to do. */
  readonly next: readonly string[];
}

/** A known leak of a version, in the captures of targets that have the version. */
export interface ConfirmedCause extends KnownInVersion {
  readonly targets: readonly string[];
  /** Those that have the version, and no capture of which shows the cause. */
  readonly notSeenOn: readonly string[];
}

export interface KnownInVersion {
  readonly id: string;
  /** `kubernetes#139823` */
  readonly ref: string;
  readonly title: string;
  readonly fixedIn: readonly string[];
}

export interface ChangeSummary {
  readonly attribute: string;
  /** Null if the attribute was not there before or is gone. */
  readonly from: string | null;
  readonly to: string | null;
  readonly targets: number;
  /** RFC 3339: when the first and the last of them changed. */
  readonly first: string;
  readonly last: string;
}

/** The result of `oakum bisect --versions A/ B/ C/`: the same churn on several versions (`oakum.versions/v1`). */
export interface VersionBisection {
  readonly schema: 'oakum.versions/v1';
  readonly sentence: string;
  readonly verdict: Verdict;
  /** In the order given. */
  readonly versions: readonly BisectedVersion[];
  /** Null if none grows, or the first one does. */
  readonly firstBad: FirstBad | null;
}

export interface BisectedVersion {
  /** The folder. */
  readonly name: string;
  /** What the evidence says it runs; null if nothing does. */
  readonly version: string | null;
  readonly goVersion: string | null;
  readonly verdict: Verdict;
  /** Growth of everything that may leak: per operation if they were counted, else per hour. */
  readonly goroutinesGrowth: number | null;
  readonly heapBytesGrowth: number | null;
  readonly per: 'operation' | 'hour';
  /** Families that grow, the largest first. */
  readonly families: readonly VersionFamily[];
}

export interface VersionFamily {
  readonly id: string;
  readonly title: string;
  readonly resource: ResourceSlug;
  readonly growth: number;
  readonly owner: string;
  readonly package: string;
}

export interface FirstBad {
  readonly name: string;
  /** The last one that does not grow. */
  readonly lastGood: string;
  /** Families that appeared or began to grow, the largest first. */
  readonly families: readonly VersionFamily[];
  /** What to read: modules, and the range of their releases. */
  readonly read: readonly string[];
}
