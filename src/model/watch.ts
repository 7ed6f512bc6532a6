/**
 * The data of `oakum watch` and of its API (docs/api.md). Plain data; times are Unix seconds.
 *
 *     GET /api/v1/status                         WatchStatus
 *     GET /api/v1/fleet?hours=168                FleetView
 *     GET /api/v1/targets/:target?from=&to=      TargetView
 *     GET /api/v1/incidents                      IncidentSummary[]
 *     GET /api/v1/incidents/:id                  IncidentView        .../:id/bundle  .../:id/report?for=upstream
 *     GET /api/v1/captures/:id                   CaptureView
 *     GET /api/v1/profiles/:sha256               the file's bytes
 *     GET /api/v1/catalogue                      CatalogueView
 *     GET /api/v1/events                         server-sent: status, fleet, target, incident (WatchEvent)
 * POST /api/v1/targets/:target/capture       takes a capture now, if captures are allowed
 */
import type { Analysis, ResourceLedger } from './analysis.ts';
import type { CaptureKind } from './capture.ts';
import type { OomCycle } from './cycle.ts';
import type { ResourceDetection } from './recorded-detection.ts';
import type { Verdict } from './verdict.ts';
import type { LimitSource, Resource, ResourceUnit } from './resource.ts';

export interface WatchStatus {
  readonly schema: 'oakum.status/v1';
  readonly version: string;
  readonly mode: 'cluster' | 'targets' | 'prometheus' | 'demo';
  /** The context's name, or the recording's. */
  readonly cluster: string;
  readonly startedAt: number;
  /** Unix seconds; in a demo, the time of its recording. */
  readonly now: number;
  /** How much faster than real time; 1 except in a demo. */
  readonly pace: number;
  readonly targetCount: number;
  readonly lastRoundSeconds: number | null;
  /** Targets that did not answer in the last round, and why. */
  readonly silent: readonly { readonly target: string; readonly why: string }[];
  readonly capturesAllowed: boolean;
  /** What is not possible for lack of rights, with the command that grants them. */
  readonly missingRights: readonly { readonly what: string; readonly command: string }[];
  readonly store: { readonly bytes: number; readonly degraded: string | null };
  /** The story of a demo: what happens when. */
  readonly story: readonly { readonly at: number; readonly text: string }[];
}

/** Equal parts of the time shown. */
export interface TimeBins {
  readonly from: number;
  readonly stepSeconds: number;
  readonly count: number;
}

export interface FleetView {
  readonly schema: 'oakum.fleet/v1';
  readonly at: number;
  /** "3 of 214 nodes leak, all on v1.36.0; first limit in about 19 h (15-26 h)." */
  readonly sentence: string;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly bins: TimeBins;
  /** Worst first. */
  readonly rows: readonly FleetRow[];
}

export interface FleetRow {
  readonly target: string;
  /** For cohorts: version, pool, kernel, zone and others that are known. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly verdict: Verdict;
  /** The worst resource; null if nothing is known. */
  readonly resource: Resource | null;
  readonly unit: ResourceUnit;
  readonly level: number | null;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** The verdict in one line. */
  readonly reason: string;
  readonly lastSampleAt: number | null;
  /** Why there is no newer sample; null while it answers. */
  readonly stale: string | null;
  readonly incidentId: string | null;
  /** The worst verdict in each bin: '-' nothing known, 'h', 'w', 'l', 'u'; one letter per bin. */
  readonly heat: string;
  /** The worst resource's level in each bin. */
  readonly spark: readonly (number | null)[];
}

export interface TargetView {
  readonly schema: 'oakum.target/v1';
  readonly target: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** "Live heap grows 0.76 MB/h since Tue 04:10, pods flat; limit in 15-26 h." */
  readonly sentence: string;
  readonly verdict: Verdict;
  readonly attributes: Readonly<Record<string, string>>;
  readonly resources: readonly ResourceDetection[];
  /** Thinned to what a chart can show; a gap simply has no points. */
  readonly series: readonly ChartSeries[];
  /** Process lives that overlap the time shown. */
  readonly epochs: readonly { readonly from: number; readonly to: number | null }[];
  readonly events: readonly WatchedEvent[];
  readonly captures: readonly CaptureView[];
  readonly trends: readonly ChartTrend[];
  readonly limits: readonly {
    readonly resource: Resource;
    readonly value: number;
    /** Where a memory limit comes from. */
    readonly from: LimitSource | null;
  }[];
  readonly cycle: OomCycle | null;
  readonly incidents: readonly IncidentSummary[];
  /** Of the newest captures; null if there are none. */
  readonly analysis: Analysis | null;
}

export interface ChartSeries {
  readonly metric: string;
  readonly unit: 'bytes' | 'count' | 'seconds';
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/** The fitted line through a resource, with its 90 % interval, drawn on to the limit. */
export interface ChartTrend {
  readonly resource: Resource;
  readonly from: number;
  readonly to: number;
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly lowTo: number;
  readonly highTo: number;
}

export interface WatchedEvent {
  readonly at: number;
  readonly kind: 'restart' | 'reboot' | 'oom' | 'condition' | 'event' | 'verdict' | 'capture' | 'note';
  readonly text: string;
}

export interface CaptureView {
  readonly id: string;
  readonly target: string;
  readonly at: number;
  /** `doubling`, `slope`, `heap ramp`, `pre-OOM`, `first of life`, `routine`, `asked for`. */
  readonly trigger: string;
  readonly reason: string;
  readonly files: readonly {
    readonly kind: CaptureKind;
    readonly sha256: string;
    readonly bytes: number;
    readonly at: number;
    readonly truncated: string | null;
  }[];
}

export type AfterRestart = 'cleared, external trigger' | 'came back, intrinsic' | 'too early';

export interface IncidentSummary {
  readonly id: string;
  readonly target: string;
  readonly resource: Resource;
  readonly verdict: Verdict;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** "Known leak kubernetes#139823, fixed in v1.36.3. Evidence saved. Safe to wait until Wed." */
  readonly sentence: string;
}

export interface IncidentView extends IncidentSummary {
  readonly schema: 'oakum.incident/v1';
  readonly timeline: readonly {
    readonly at: number;
    readonly kind:
      'slope' | 'watch' | 'leak' | 'capture' | 'killed' | 'restarted' | 'after restart' | 'cleared' | 'note';
    readonly text: string;
    readonly captureId: string | null;
  }[];
  readonly captures: readonly CaptureView[];
  readonly cycle: OomCycle | null;
  readonly afterRestart: { readonly verdict: AfterRestart; readonly text: string } | null;
  /** Of its captures; null if there are none. */
  readonly analysis: Analysis | null;
  /** The evidence of metrics and captures together, for each resource; the surest first. */
  readonly ledgers: readonly ResourceLedger[];
  readonly todo: readonly string[];
  readonly avoid: readonly string[];
}

export interface CatalogueView {
  readonly schema: 'oakum.catalogue/v1';
  readonly sentence: string;
  readonly leaks: readonly {
    readonly id: string;
    readonly title: string;
    readonly component: string;
    readonly grade: string;
    readonly affected: string;
    readonly fixedIn: readonly string[];
    readonly references: readonly string[];
    readonly summary: string;
    /** Targets of this fleet that match it. */
    readonly targets: readonly string[];
  }[];
}

export type WatchEvent =
  | { readonly kind: 'status'; readonly status: WatchStatus }
  | { readonly kind: 'fleet'; readonly at: number }
  | { readonly kind: 'target'; readonly target: string; readonly at: number }
  | { readonly kind: 'incident'; readonly id: string; readonly at: number };
