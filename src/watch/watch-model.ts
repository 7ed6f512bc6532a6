/**
 * The data of `oakum watch` and of its API (docs/api.md). Plain data; times are Unix seconds.
 *
 *     GET /api/v1/status                         WatchStatus
 *     GET /api/v1/fleet?hours=168&offset=&limit= FleetView (fleet.ts)
 *     GET /api/v1/cohorts                        CohortsView
 *     GET /api/v1/rollout?by=version&hours=168   RolloutView
 *     GET /api/v1/targets/:target?from=&to=      TargetView
 *     GET /api/v1/incidents                      IncidentSummary[]
 *     GET /api/v1/incidents?limit=200            IncidentsView
 *     GET /api/v1/incidents/:id                  IncidentView        .../:id/bundle  .../:id/report?for=upstream
 *     GET /api/v1/incidents/:cohortId            CohortIncidentView
 *     GET /api/v1/captures/:id                   CaptureView
 *     GET /api/v1/profiles/:sha256               the file's bytes
 *     GET /api/v1/profiles/:sha256/origin        FileOrigin
 *     GET /api/v1/catalogue                      CatalogueView
 *     GET /api/v1/notifications                  NotificationsView
 *     GET /api/v1/events                         server-sent: status, fleet, target, incident (WatchEvent)
 *    POST /api/v1/incidents/:id/notes            adds a note, or acknowledges the incident (NewNote)
 *     GET /api/v1/incidents/:id/plans            PlansView (watch-plan.ts)
 *    POST /api/v1/incidents/:id/plans            makes a plan (NewPlan)
 *     GET /api/v1/plans/:id/file                 the plan as YAML
 *     GET /api/v1/plans/:id/log                  what was done with it, one JSON record per line
 *    POST /api/v1/plans/:id/apply                applies it, if actions are allowed and approved (PlanApproval)
 *    POST /api/v1/plans/:id/abort                undoes what can be undone, likewise
 *    POST /api/v1/targets/:target/capture        takes a capture now, if captures are allowed
 *    POST /api/v1/alertmanager                   takes captures of the targets that alerts are about
 */
import type { Analysis, ResourceLedger } from '../judge/analysis.ts';
import type { CaptureKind } from '../evidence/capture.ts';
import type { CohortSummary } from '../judge/cohorts/cohort-model.ts';
import type { OomCycle } from '../evidence/cycle/cycle.ts';
import type { RecordedCohort, ResourceDetection } from '../judge/detect/recorded-detection.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { KnownInVersion } from '../judge/bisect/bisection.ts';
import type { LimitSource, Resource, ResourceUnit } from '../evidence/resource.ts';
import type { WatchedEvent } from '../store/records.ts';
import type { AfterRestart, RestartSlopes } from '../judge/cycle/after-restart.ts';
import type { ReplicasView } from './replicas/ports.ts';

export interface WatchStatus {
  readonly schema: 'oakum.status/v1';
  readonly version: string;
  /** `files`: profiles are shown, and nothing is watched. */
  readonly mode: 'cluster' | 'targets' | 'prometheus' | 'demo' | 'files';
  /** The context's name, or the recording's. */
  readonly cluster: string;
  /** Only if there are several: each, by name. */
  readonly clusters?: readonly ClusterStatus[];
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
  /** What is not possible, and the next step: the command that grants a right, or an option. */
  readonly missingRights: readonly {
    /** Refused for lack of a right, not reachable or failing, or switched off by an option. */
    readonly why: 'forbidden' | 'failing' | 'off';
    readonly what: string;
    readonly command: string;
  }[];
  readonly store: { readonly bytes: number; readonly degraded: string | null };
  /** Absent if the watch is alone. */
  readonly replicas?: ReplicasView | undefined;
  /** The template of links to a dashboard, with `{node}`, `{target}`, `{from}` and `{to}`; null if none is configured. */
  readonly grafana: string | null;
  /** In a demo, what has been concluded so far, oldest first; otherwise empty. */
  readonly story: readonly StoryEvent[];
  /** The profiles that `oakum pprof -http` shows; only in that mode. */
  readonly files?: readonly ViewedFile[];
}

/** One of several clusters. */
export interface ClusterStatus {
  readonly name: string;
  /** Whether its nodes can be listed; `unknown` before the first answer. */
  readonly state: 'reached' | 'not reached' | 'unknown';
  /** Why it is not reached; null while it is. */
  readonly why: string | null;
  /** Since when it is in this state. */
  readonly since: number | null;
  readonly targetCount: number;
  /** How many of its targets did not answer in the last round. */
  readonly silentCount: number;
  /** How many of its targets are proved to leak. */
  readonly leakCount: number;
}

export interface ViewedFile {
  readonly sha256: string;
  /** What was given on the command line; several are merged. */
  readonly sources: readonly string[];
}

/** Something that has been concluded, in the words of the pages. */
export interface StoryEvent {
  readonly at: number;
  /** `end` is the last event: the recording is over. */
  readonly kind: 'event' | 'end';
  /** Null if it is about the whole fleet. */
  readonly target: string | null;
  /** The incident that shows more. */
  readonly incidentId: string | null;
  readonly text: string;
}

/** Equal parts of the time shown. */
export interface TimeBins {
  readonly from: number;
  readonly stepSeconds: number;
  readonly count: number;
}

/** Why a target grows, in a few words. */
export interface TargetCause {
  readonly kind: 'known leak' | 'family' | 'explained';
  /** `kubernetes#139823, fixed in 1.36.3`, the meaning of a family, or `goroutines follow pods: 8 → 82`. */
  readonly text: string;
  /** Null unless it is a known leak; so are the next two. */
  readonly ref: string | null;
  readonly isConfirmed: boolean;
  readonly fixedIn: readonly string[];
  /** What the known leak is, or the family. */
  readonly title: string;
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
  /** When the first sample was taken; a rise without an onset began before it. */
  readonly firstSampleAt: number | null;
  readonly trends: readonly ChartTrend[];
  readonly limits: readonly {
    readonly resource: Resource;
    readonly value: number;
    /** Where a memory limit comes from. */
    readonly from: LimitSource | null;
  }[];
  readonly cycle: OomCycle | null;
  readonly incidents: readonly IncidentSummary[];
  /** From the newest captures; null if there are none. */
  readonly analysis: Analysis | null;
  /** Null if nothing grows, or if no capture shows why. */
  readonly cause: TargetCause | null;
  /** The evidence of metrics and captures together, for each resource; the surest first. */
  readonly ledgers: readonly ResourceLedger[];
  /** What to do about the open incident, the first thing first. */
  readonly todo: readonly string[];
}

export interface ChartSeries {
  readonly metric: string;
  readonly unit: 'bytes' | 'count' | 'seconds';
  readonly times: readonly number[];
  readonly values: readonly number[];
}

/**
 * The fitted line through the present life of a process, and the forecast from now on, as a fan:
 *
 *     level            ..-' highTo
 *            _.-|--''''      valueTo
 *     _.--''    |''--...     lowTo
 *     from      at           to
 */
export interface ChartTrend {
  readonly metric: string;
  readonly from: number;
  /** Now. */
  readonly at: number;
  readonly to: number;
  readonly valueFrom: number;
  /** The level of the present life. */
  readonly valueAt: number;
  /** Null if only an interval is known. */
  readonly valueTo: number | null;
  /** 90 %. */
  readonly lowTo: number;
  readonly highTo: number;
}

/** Attribute values against each other: which of them comes with growth, and who got it when. */
export interface CohortsView {
  readonly schema: 'oakum.cohorts/v1';
  readonly at: number;
  /** "version v1.36.0: live heap grows 2.3 MiB/h on 20 of 20 targets with it, and on 0 of 60 without it." */
  readonly sentence: string;
  /** Worst first: every attribute, value and resource that was compared. */
  readonly cohorts: readonly ListedCohort[];
  /** The last two weeks, in time order; the newest of too many. */
  readonly changes: readonly TargetChange[];
  /** Open incidents of cohorts, the newest first. */
  readonly incidents: readonly IncidentSummary[];
}

/** `leaking` has the names of some targets, if there are many. */
export interface ListedCohort extends RecordedCohort {
  readonly leakingCount: number;
}

export interface TargetChange {
  readonly at: number;
  readonly target: string;
  readonly attribute: string;
  readonly from: string;
  readonly to: string;
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

/** Where a stored file comes from. */
export interface FileOrigin {
  readonly schema: 'oakum.origin/v1';
  readonly kind: CaptureKind;
  /** When it was collected. */
  readonly at: number;
  /** When the process began that it is of; null if that is not known. */
  readonly startedAt: number | null;
  readonly capture: CaptureView;
  /** The incident that the capture belongs to. */
  readonly incident: IncidentSummary | null;
  /** All captures of the target that have a file of this kind, oldest first. */
  readonly captures: readonly CaptureView[];
}

/** What someone wrote about an incident. */
export interface IncidentNote {
  readonly at: number;
  /** As they call themselves. */
  readonly by: string;
  /** May be '' if it acknowledges the incident. */
  readonly text: string;
  /** From here on, someone takes care of it. */
  readonly acknowledges: boolean;
}

export type NewNote = Omit<IncidentNote, 'at'>;

export interface IncidentSummary {
  readonly id: string;
  /** The attribute and value of a cohort: `version v1.36.0`. */
  readonly target: string;
  readonly resource: Resource;
  readonly verdict: Verdict;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** "Known leak kubernetes#139823, fixed in v1.36.3. Evidence saved. Safe to wait until Wed." */
  readonly sentence: string;
  /** Who takes care of it, and since when; null if nobody does. */
  readonly acknowledged: Pick<IncidentNote, 'at' | 'by'> | null;
  /** The cohort whose incident it is; null if it is of one target. */
  readonly cohort: CohortSummary | null;
  /** The incident of a cohort that this one is folded into; null if it stands alone. */
  readonly partOf: string | null;
}

/** Some of the incidents: open ones first, those of cohorts before others, then the newest first. */
export interface IncidentsView {
  readonly schema: 'oakum.incidents/v1';
  readonly at: number;
  /** All that are kept and stand alone, and how many of these are open. */
  readonly total: number;
  readonly open: number;
  /** Those that are folded into the incident of a cohort. */
  readonly folded: number;
  /** How many match; `incidents` are those from `offset` on. */
  readonly matching: number;
  readonly offset: number;
  readonly incidents: readonly IncidentSummary[];
}

export interface IncidentsQuery {
  readonly offset: number;
  readonly limit: number;
  readonly state: 'open' | 'closed' | 'any';
  /** Whether those count that are folded into the incident of a cohort. */
  readonly withFolded: boolean;
}

export interface IncidentStep {
  readonly at: number;
  readonly kind:
    | 'slope'
    | 'watch'
    | 'leak'
    | 'capture'
    | 'killed'
    | 'restarted'
    | 'after restart'
    | 'cleared'
    | 'note'
    | 'acknowledged'
    | 'annotation'
    | 'plan';
  readonly text: string;
  readonly captureId: string | null;
}

export interface IncidentView extends IncidentSummary {
  readonly schema: 'oakum.incident/v1';
  readonly timeline: readonly IncidentStep[];
  readonly captures: readonly CaptureView[];
  readonly cycle: OomCycle | null;
  readonly afterRestart: {
    readonly verdict: AfterRestart;
    readonly text: string;
    /** As they were when it was judged. */
    readonly slopes: RestartSlopes | null;
    /** When it was judged; null while it is too early. */
    readonly at: number | null;
    /** The slope now: more samples know it better; null if the incident is closed. */
    readonly now: RestartSlopes['after'] | null;
  } | null;
  readonly cause: TargetCause | null;
  /** Oldest first. */
  readonly notes: readonly IncidentNote[];
  /** From its captures; null if there are none. */
  readonly analysis: Analysis | null;
  /** The evidence of metrics and captures together, for each resource; the surest first. */
  readonly ledgers: readonly ResourceLedger[];
  readonly todo: readonly string[];
  readonly avoid: readonly string[];
}

/**
 * The incident of a cohort: one value of an attribute leaks wherever it is, so its targets are one incident.
 *
 *     version v1.36.0 leaks on 20 of 20 nodes, 0 of 60 elsewhere: stop the rollout
 *       node/worker-1   +2.4 MiB/h   its own incident, folded into this one
 *       node/worker-2   +2.3 MiB/h   ...
 */
export interface CohortIncidentView extends IncidentSummary {
  readonly schema: 'oakum.cohort-incident/v1';
  readonly cohort: CohortSummary;
  /** What was last found about each resource that leaks, the worst first. */
  readonly verdicts: readonly ListedCohort[];
  /** Every target that has the value: those that grow first, then those that speak against it, then the others. */
  readonly members: readonly CohortMember[];
  /** How many targets were left out of `members`. */
  readonly moreMembers: number;
  /** What captures of members show, the most frequent first. */
  readonly causes: readonly { readonly cause: TargetCause; readonly targets: number }[];
  readonly known: readonly KnownInVersion[];
  readonly timeline: readonly IncidentStep[];
  readonly notes: readonly IncidentNote[];
  readonly todo: readonly string[];
}

export interface CohortMember {
  readonly target: string;
  /** `against`: it has the value and does not grow. `early`: too little is known of it. */
  readonly role: 'grows' | 'against' | 'early';
  readonly verdict: Verdict;
  readonly resource: Resource | null;
  readonly unit: ResourceUnit;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** When it got the value; null if it had it before the record. */
  readonly since: number | null;
  /** What a target that speaks against it has different. */
  readonly differs: readonly string[];
  readonly incidentId: string | null;
}

/** Who had which value of an attribute when, against growth. */
export interface RolloutView {
  readonly schema: 'oakum.rollout/v1';
  readonly at: number;
  readonly attribute: string;
  readonly resource: Resource;
  readonly unit: ResourceUnit;
  readonly bins: TimeBins;
  /** Values that leak first, then those with most targets. */
  readonly values: readonly RolloutValue[];
  /** How many more values there are. */
  readonly moreValues: number;
}

export interface RolloutValue {
  readonly value: string;
  /** How many targets had it in each bin. */
  readonly targets: readonly number[];
  /**
   * What one target with it gained since the first bin shown: the mean of those that had it, or of 2,000 of them, added
   * up bin by bin. Restarts and bins in which a target changed count as no growth. Null before the first target had it.
   */
  readonly growth: readonly (number | null)[];
}

export type WatchEvent =
  | { readonly kind: 'status'; readonly status: WatchStatus }
  | { readonly kind: 'fleet'; readonly at: number }
  | { readonly kind: 'target'; readonly target: string; readonly at: number }
  | { readonly kind: 'incident'; readonly id: string; readonly at: number };
