/**
 * What is said about incidents to other systems.
 *
 *     incidents -> Notice  -> queue on disk -> webhook, OTLP, Grafana, Kubernetes Events   once per change
 *               -> Alert   -> every Alertmanager                                           again each minute
 */
import type { ResourceUnit } from '../evidence/resource.ts';
import type { Verdict } from '../judge/verdict.ts';

/** `folded`: it goes on as part of the incident of a cohort, which has notices of its own. */
export type NoticeKind = 'opened' | 'proved' | 'folded' | 'cleared';

/** One change of an incident. Plain data: it waits on disk until it is delivered. */
export interface Notice {
  readonly schema: 'oakum.notice/v1';
  /** The same each time it is sent: `i-20261115-1957-proved`. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** Unix seconds. */
  readonly at: number;
  readonly cluster: string;
  readonly incident: NoticedIncident;
}

export interface NoticedIncident {
  readonly id: string;
  /** `node/worker-17`; of a cohort, its attribute and value: `version v1.36.0`. */
  readonly target: string;
  readonly isCohort: boolean;
  /** Of a cohort in several clusters: those in which it leaks. */
  readonly clusters?: readonly string[];
  readonly resource: string;
  readonly verdict: Verdict;
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** From the template; the incident's own sentence by default. */
  readonly summary: string;
  readonly sentence: string;
  /** What its captures show, such as `kubernetes#139823, fixed in 1.36.3`; null if that is not known. */
  readonly cause: string | null;
  readonly unit: ResourceUnit | null;
  readonly slopePerHour: number | null;
  readonly timeToLimitHours: readonly [number, number | null] | null;
  /** Its page; null if nobody said under which address people reach Oakum. */
  readonly url: string | null;
  readonly runbookUrl: string | null;
}

/** As Alertmanager takes it; equal labels are the same alert. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly startsAt: number;
  /** In the past if it is resolved. */
  readonly endsAt: number;
  readonly generatorUrl: string | null;
}

/** A notice for one destination. */
export interface QueuedNotice {
  readonly destination: string;
  readonly notice: Notice;
}

export interface Silence {
  readonly incidentId: string;
  /** The destination that knows it. */
  readonly destination: string;
  readonly by: string;
  readonly comment: string;
  /** Unix seconds. */
  readonly until: number;
}

export interface NotificationsView {
  readonly schema: 'oakum.notifications/v1';
  readonly destinations: readonly DestinationStatus[];
  /** Incidents that somebody silenced. */
  readonly silences: readonly Silence[];
}

export interface DestinationStatus {
  /** Its address without credentials. */
  readonly name: string;
  readonly kind: 'alertmanager' | 'webhook' | 'cloudevents' | 'otlp-logs' | 'grafana' | 'kubernetes events';
  readonly delivered: number;
  /** Waiting to be sent; of an Alertmanager, alerts that it was last sent. */
  readonly waiting: number;
  /** Given up: refused for good, or too many. */
  readonly dropped: number;
  readonly lastDeliveredAt: number | null;
  /** Why the last attempt failed; null if it did not. */
  readonly trouble: string | null;
}
