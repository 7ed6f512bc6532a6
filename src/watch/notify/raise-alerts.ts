/**
 * Alerts of incidents. Equal labels are the same alert, so labels hold only what stays; numbers are annotations.
 *
 *     OakumLeak             severity warning, or critical if the limit is near
 *     OakumSuspectedLeak    severity info
 */
import type { Alert, NoticedIncident } from '../../store/notification.ts';
import { nodeName, parseTargetRef } from '../../evidence/target.ts';
import { exactTimeText } from '../../base/say.ts';
import type { RaisedAlert, NotifyOptions } from './destination.ts';

/** An alert that nobody sends again ends after this time, as when Oakum is gone. */
const LASTS_SECONDS = 300;
/** For how long a resolved alert is sent, so that every Alertmanager learns of it. */
const RESOLVED_SECONDS = 900;
/** Tells our alerts from others. */
const REPORTER = 'oakum';
/** Labels may come from names of any length. */
const MAX_LABEL_LENGTH = 500;

export function raiseAlert(incident: NoticedIncident, isCritical: boolean, options: NotifyOptions): RaisedAlert {
  const { id, target, isCohort, resource, verdict, openedAt, summary, sentence, cause, url, runbookUrl, clusters } =
    incident;
  const isLeak = verdict === 'leak';
  const labels = {
    ...options.labels,
    alertname: isLeak ? 'OakumLeak' : 'OakumSuspectedLeak',
    reporter: REPORTER,
    cluster: options.cluster,
    severity: isLeak ? (isCritical ? 'critical' : 'warning') : 'info',
    resource,
    ...(isCohort ? { cohort: target } : { target, ...placeLabels(target) }),
  };
  const annotations = {
    summary,
    description: sentence,
    incident: id,
    ...(cause === null ? {} : { cause }),
    ...limitAnnotation(incident),
    ...(clusters === undefined ? {} : { clusters: clusters.join(', ') }),
    ...(runbookUrl === null ? {} : { runbook_url: runbookUrl }),
  };
  return {
    incidentId: id,
    labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value.slice(0, MAX_LABEL_LENGTH)])),
    annotations,
    startsAt: openedAt,
    generatorUrl: url,
    resolvedAt: null,
  };
}

/** As Kubernetes' own alerts label them, so that routes and inhibitions by node or namespace apply. */
function placeLabels(target: string): Record<string, string> {
  const node = nodeName(target);
  if (node !== undefined) return { node };
  const ref = parseTargetRef(target);
  if (typeof ref === 'string' || ref.kind !== 'pod') return {};
  return { pod: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) };
}

function limitAnnotation({ timeToLimitHours }: NoticedIncident): Record<string, string> {
  if (timeToLimitHours === null) return {};
  const [low, high] = timeToLimitHours;
  return { hours_to_limit: high === null ? `${low.toFixed(1)} or more` : `${low.toFixed(1)} to ${high.toFixed(1)}` };
}

/** What is no longer raised is resolved, and forgotten some time later. */
export function resolveMissing(
  before: readonly RaisedAlert[],
  raised: readonly RaisedAlert[],
  now: number,
): readonly RaisedAlert[] {
  const keys = new Set(raised.map(alertKey));
  const missing = before.filter(alert => !keys.has(alertKey(alert)));
  const resolved = missing.map(alert => ({ ...alert, resolvedAt: alert.resolvedAt ?? now }));
  return [...raised, ...resolved.filter(({ resolvedAt }) => now - resolvedAt < RESOLVED_SECONDS)];
}

export function toSend(alerts: readonly RaisedAlert[], now: number): Alert[] {
  return alerts.map(({ labels, annotations, startsAt, generatorUrl, resolvedAt }) => ({
    labels,
    annotations: resolvedAt === null ? annotations : { ...annotations, resolved: `since ${exactTimeText(resolvedAt)}` },
    startsAt,
    endsAt: resolvedAt ?? now + LASTS_SECONDS,
    generatorUrl,
  }));
}

/** The same for the same alert. */
export function alertKey({ labels }: Pick<Alert, 'labels'>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
