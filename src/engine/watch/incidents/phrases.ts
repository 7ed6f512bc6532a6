/** The sentences of watch. */
import { formatAge, formatBytes, formatCount, signed } from '../../../base/quantities.ts';
import type { Analysis } from '../../../model/analysis.ts';
import type { ResourceVerdict } from '../../../model/detection.ts';
import { fixedInText } from '../../../catalogue/match-phrases.ts';
import { mayLeak } from '../../../model/verdict.ts';
import { verbOf } from '../../../model/resource.ts';
import type { IncidentRecord } from '../state/incident-records.ts';
import type { WatchedTarget } from '../state/watched-target.ts';

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `19:57`, or `Nov 14 19:57` on another day; UTC. */
export function timeOfDay(at: number, now: number): string {
  const text = new Date(at * 1000).toUTCString();
  const [, day, month] = text.split(' ');
  const clock = text.slice(17, 22);
  return Math.abs(now - at) < 20 * 3600 ? clock : `${month} ${day} ${clock}`;
}

export function amountOf(unit: 'bytes' | 'count', value: number): string {
  return unit === 'bytes' ? formatBytes(value) : formatCount(Math.abs(value) >= 100 ? Math.round(value) : value);
}

/** `15h to 1d2h`; undefined when no limit is in sight. */
export function limitText(timeToLimitHours: readonly [number, number | null] | undefined): string | undefined {
  if (timeToLimitHours === undefined) return undefined;
  const [low, high] = timeToLimitHours;
  if (!Number.isFinite(low)) return undefined;
  const near = formatAge(low * 3600);
  if (high === null || !Number.isFinite(high)) return `${near} or more`;
  return near === formatAge(high * 3600) ? near : `${near} to ${formatAge(high * 3600)}`;
}

/** `live heap grows 41.8 MiB/h since 19:50, at 50 pods; limit in 15h to 1d2h` */
export function riseText(verdict: ResourceVerdict, target: WatchedTarget, now: number): string {
  const { resource, unit, slopePerHour, onsetSeconds } = verdict;
  const slope = Number.isFinite(slopePerHour) ? ` ${signed(amountOf(unit, slopePerHour))}/h`.replace(' +', ' ') : '';
  const since = onsetSeconds === undefined ? '' : ` since ${timeOfDay(onsetSeconds, now)}`;
  const pods = target.latest['kubelet_running_pods'];
  const load = pods === undefined ? '' : `, at ${formatCount(pods)} pods`;
  const limit = limitText(verdict.timeToLimitHours);
  const none = resource === 'live heap' && target.limitSource === undefined ? '; no memory limit is known' : '';
  const source = limit === undefined || target.limitSource === undefined ? '' : ` (${target.limitSource})`;
  const end = limit === undefined ? none : `; limit in ${limit}${resource === 'live heap' ? source : ''}`;
  return `${resource} ${verbOf(resource, 'grows')}${slope}${since}${load}${end}`;
}

/** The verdict of a target in one line, and where its samples come from if it has no metrics. */
export function targetSentence(target: WatchedTarget, now: number): string {
  const { sampled } = target.attributes;
  const sentence = verdictSentence(target, now);
  return sampled === undefined ? sentence : `${sentence} It has no /metrics: sampled from ${sampled}.`;
}

function verdictSentence(target: WatchedTarget, now: number): string {
  const { worst } = target;
  if (target.verdict === undefined || worst === undefined)
    return target.lastSampleAt === undefined ? 'It was not seen yet.' : 'Too little is known about it yet.';
  switch (target.verdict.verdict) {
    case 'leak':
      return `${capital(riseText(worst, target, now))}.`;
    case 'watch':
      return `${capital(riseText(worst, target, now))}; not proved to be a leak yet.`;
    case 'healthy':
      return healthySentence(target);
    case 'unknown':
      // The last reason of the detector says what would change the verdict.
      return `Too little is known about it yet: ${worst.reasons.at(-1)}.`;
  }
}

function healthySentence({ verdict }: WatchedTarget): string {
  const [why] = verdict?.resources.find(one => one.explanation !== undefined)?.reasons ?? [];
  return why === undefined ? 'Nothing grows beyond what pods and churn explain.' : `${capital(why)}: no leak.`;
}

/** First what it is, then the evidence, then the time left. */
export function incidentSentence(
  record: Pick<IncidentRecord, 'resource' | 'verdict' | 'captureIds' | 'afterRestart' | 'closedAt' | 'matches'>,
  target: WatchedTarget | undefined,
  analysis: Analysis | undefined,
  now: number,
): string {
  const parts: string[] = [];
  const known = analysis?.findings.flatMap(({ matches }) => matches).find(({ affected }) => affected !== 'fixed');
  const worst = target?.worst;
  if (known !== undefined && known.grade !== 'possible') {
    // A confirmed match stays confirmed, whichever captures are compared later.
    const isConfirmed = record.matches.includes(`${known.ref} (confirmed)`);
    parts.push(`${isConfirmed ? 'Known' : 'Probably known'} leak ${known.ref}, ${fixedInText(known)}`);
  } else if (worst !== undefined && target !== undefined && mayLeak(worst.verdict)) {
    parts.push(capital(riseText(worst, target, now)));
  } else parts.push(`${record.resource} grew`);
  if (record.closedAt !== null) parts.push('it is over');
  else if (record.afterRestart?.verdict === 'came back, intrinsic') parts.push('it came back after the restart');
  parts.push(record.captureIds.length > 0 ? 'Evidence saved' : 'No evidence saved yet');
  const limit = known === undefined ? undefined : limitText(worst?.timeToLimitHours);
  if (limit !== undefined && record.closedAt === null) parts.push(`Limit in ${limit}`);
  return `${parts.map(capital).join('. ')}.`;
}
