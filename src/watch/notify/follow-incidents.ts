/**
 * Compares incidents with what has been said about them. It looks at what is, not at what happened in between, so a
 * change that nobody saw, such as during a crash, is made known all the same.
 *
 *     told + incidents now  ->  notices to send, alerts to raise or resolve, and what has been said then
 */
import type { Notice, NoticedIncident, NoticeKind } from '../../store/notification.ts';
import type { IncidentSummary } from '../watch-model.ts';
import { describeIncident, type IncidentSource } from './incident-source.ts';
import { clusterOfIncident, type NotifyOptions } from './notify-options.ts';
import { raiseAlert, resolveMissing } from './raise-alerts.ts';
import type { RaisedAlert, Told, ToldIncident } from './told.ts';

export interface Followed {
  readonly told: Told;
  readonly notices: readonly Notice[];
}

export function followIncidents(told: Told, source: IncidentSource, all: NotifyOptions, now: number): Followed {
  const incidents = new Map<string, ToldIncident>();
  const notices: Notice[] = [];
  const raised: RaisedAlert[] = [];
  for (const summary of source.incidents()) {
    const before = told.incidents.get(summary.id);
    const options = { ...all, cluster: clusterOfIncident(summary, all) };
    // What was over before it was ever made known stays so.
    if (before === undefined && (summary.closedAt !== null || !isWorth(summary, options))) continue;
    const incident = describeIncident(summary, source, options);
    const change = changeOf(before, summary);
    if (change !== undefined) notices.push(noticeOf(change, incident, options.cluster, now));
    if (summary.closedAt !== null) continue;
    const isCritical = before?.isCritical === true || isNear(incident, options);
    const verdict = summary.partOf === null ? worse(before, summary) : 'folded';
    incidents.set(summary.id, { verdict, isCritical });
    if (verdict !== 'folded') raised.push(raiseAlert({ ...incident, verdict }, isCritical, options));
  }
  return { told: { incidents, alerts: resolveMissing(told.alerts, raised, now) }, notices };
}

function isWorth({ verdict }: IncidentSummary, { leastVerdict }: NotifyOptions): boolean {
  return verdict === 'leak' || (verdict === 'watch' && leastVerdict === 'watch');
}

function changeOf(before: ToldIncident | undefined, summary: IncidentSummary): NoticeKind | undefined {
  const isFolded = summary.partOf !== null;
  if (before?.verdict === 'folded') return undefined;
  if (summary.closedAt !== null) return 'cleared';
  if (before === undefined) return isFolded ? undefined : 'opened';
  if (isFolded) return 'folded';
  return before.verdict === 'watch' && summary.verdict === 'leak' ? 'proved' : undefined;
}

/** What was proved stays proved. */
function worse(before: ToldIncident | undefined, { verdict }: IncidentSummary): 'watch' | 'leak' {
  return before?.verdict === 'leak' || verdict === 'leak' ? 'leak' : 'watch';
}

function isNear({ timeToLimitHours, verdict }: NoticedIncident, { criticalHours }: NotifyOptions): boolean {
  return verdict === 'leak' && timeToLimitHours !== null && timeToLimitHours[0] <= criticalHours;
}

function noticeOf(kind: NoticeKind, incident: NoticedIncident, cluster: string, at: number): Notice {
  return { schema: 'oakum.notice/v1', id: `${incident.id}-${kind}`, kind, at, cluster, incident };
}
