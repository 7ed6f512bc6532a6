/** Where incidents are made known, and the texts and links with places that are filled in for it. */
import type { Alert, DestinationStatus, Notice, NoticedIncident } from '../../store/notification.ts';
import type { Delivery } from '../../live/reply.ts';
import type { WatchClock } from '../../base/clock.ts';
import { parseJson, recordOf } from '../../base/json.ts';
import { CLUSTER_ATTRIBUTE, type CohortName } from '../../judge/cohorts/cohort-model.ts';
import { clusterOf, nodeName } from '../../evidence/target.ts';

/** Takes each notice once, in order. */
export interface NoticeDestination {
  readonly name: string;
  readonly kind: DestinationStatus['kind'];
  /** Whether a notice is for it; all are by default. */
  takes?(notice: Notice): boolean;
  deliver(notice: Notice, signal: AbortSignal): Promise<Delivery>;
}

/** Takes all alerts again and again, and knows which of them are silenced. */
export interface AlertDestination {
  readonly name: string;
  post(alerts: readonly Alert[], signal: AbortSignal): Promise<Delivery>;
  /** Of our alerts. Throws if it cannot be asked. */
  silenced(signal: AbortSignal): Promise<readonly SilencedAlert[]>;
}

export interface SilencedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly by: string;
  readonly comment: string;
  readonly until: number;
}

/** Ends early with `wake` or `stopping`. Not AbortSignal.any, which leaves something behind in a signal that lives on. */
export async function sleepOrWoken(
  clock: WatchClock,
  seconds: number,
  wake: AbortController,
  stopping: AbortSignal,
): Promise<void> {
  if (stopping.aborted) return;
  const end = (): void => wake.abort();
  stopping.addEventListener('abort', end);
  await clock.sleep(seconds, wake.signal);
  stopping.removeEventListener('abort', end);
}

/**
 * What has been said already, so that a restart says nothing twice and forgets nothing. One setting of the store:
 *
 *     { "version": 1,
 *       "incidents": { "i-20261115-1957": { "verdict": "leak", "isCritical": false } },
 *       "alerts": [ { "incidentId": "i-...", "labels": {...}, "annotations": {...}, "startsAt": 1794769200,
 *                     "resolvedAt": null } ] }
 */
export interface SentIncident {
  readonly verdict: 'watch' | 'leak' | 'folded';
  /** Once critical, it stays so: severities that go back and forth page people again and again. */
  readonly isCritical: boolean;
}

export interface RaisedAlert extends Omit<Alert, 'endsAt'> {
  readonly incidentId: string;
  /** Null while it is raised. */
  readonly resolvedAt: number | null;
}

export interface SentState {
  readonly incidents: ReadonlyMap<string, SentIncident>;
  readonly alerts: readonly RaisedAlert[];
}

const NOTHING_SENT: SentState = { incidents: new Map(), alerts: [] };
export const SENT_KEY = 'notify.told';
const VERSION = 1;

export function sentText({ incidents, alerts }: SentState): string {
  return JSON.stringify({ version: VERSION, incidents: Object.fromEntries(incidents), alerts });
}

/** Of another version or damaged, it is as if nothing had been said. */
export function parseSent(text: string | undefined): SentState {
  const { version, incidents, alerts } = recordOf(text === undefined ? undefined : parseJson(text));
  if (version !== VERSION || !Array.isArray(alerts)) return NOTHING_SENT;
  return { incidents: new Map(Object.entries(recordOf(incidents) as Record<string, SentIncident>)), alerts };
}

export interface NotifyOptions {
  /** Of targets whose name has none. */
  readonly cluster: string;
  /** From which verdict on an incident is made known. */
  readonly leastVerdict: 'watch' | 'leak';
  /** If the limit may be reached within this time, an alert is critical. */
  readonly criticalHours: number;
  /** Under which people reach Oakum, without a slash at the end. */
  readonly url: string | undefined;
  /** Templates, see templates.ts. */
  readonly summary: string;
  readonly runbook: string | undefined;
  /** Added to every alert. */
  readonly labels: Readonly<Record<string, string>>;
}

export const NOTIFY_DEFAULTS: Omit<NotifyOptions, 'cluster'> = {
  leastVerdict: 'leak',
  criticalHours: 24,
  url: undefined,
  summary: '{target}: {sentence}',
  runbook: undefined,
  labels: {},
};

/**
 * The cluster of an incident: that of its target, where there are several. That of a cohort never changes while it
 * spreads, or it would be another alert.
 */
export function clusterOfIncident(
  { target, cohort }: { readonly target: string; readonly cohort: CohortName | null },
  { cluster }: Pick<NotifyOptions, 'cluster'>,
): string {
  if (cohort !== null) return cohort.attribute === CLUSTER_ATTRIBUTE ? cohort.value : cluster;
  return clusterOf(target) ?? cluster;
}

/**
 * Texts and links with places for what is known about an incident:
 *
 *     {target}: {sentence}                         node/worker-17: Live heap grows 41.8 MiB/h ...
 *     https://runbooks.example.com/{resource}      https://runbooks.example.com/live%20heap
 */

export const TEMPLATE_PLACES = [
  'target',
  'node',
  'resource',
  'verdict',
  'sentence',
  'cause',
  'incident',
  'cluster',
  'url',
] as const;
type TemplatePlace = (typeof TEMPLATE_PLACES)[number];
type TemplateValues = Readonly<Record<TemplatePlace, string>>;

/** The first place that does not exist; undefined if all do. */
export function unknownPlace(template: string): string | undefined {
  const places: readonly string[] = TEMPLATE_PLACES;
  return placesIn(template).find(place => !places.includes(place));
}

export function fillText(template: string, values: TemplateValues): string {
  return template.replace(/\{(\w+)\}/g, (whole, place: string) => values[place as TemplatePlace] ?? whole);
}

/** Values are escaped; `{url}` is a link itself and is not. */
export function fillLink(template: string, values: TemplateValues): string {
  return template.replace(/\{(\w+)\}/g, (whole, place: string) => {
    const value = values[place as TemplatePlace];
    if (value === undefined) return whole;
    return place === 'url' ? value : encodeURIComponent(value);
  });
}

export function valuesOf(
  incident: Pick<NoticedIncident, 'id' | 'target' | 'resource' | 'verdict' | 'sentence' | 'cause' | 'url'>,
  cluster: string,
): TemplateValues {
  const { id, target, resource, verdict, sentence, cause, url } = incident;
  const node = nodeName(target) ?? '';
  return { target, node, resource, verdict, sentence, cause: cause ?? '', incident: id, cluster, url: url ?? '' };
}

function placesIn(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
}
