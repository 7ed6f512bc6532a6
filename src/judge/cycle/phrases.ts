/** Phrases for durations, cgroups and kills. */
import type {
  OomKill,
  ConditionObservation,
  BootObservation,
  CycleObservation,
  KubeEventObservation,
  LogObservation,
  MetricsObservation,
} from '../../evidence/cycle/cycle.ts';
import { formatAge, formatBytes, formatSeconds } from '../../base/say.ts';

export function secondsText(seconds: number): string {
  return formatAge(seconds);
}

/** `0.35 s`, if a tenth matters. */
export function durationText(seconds: number): string {
  return seconds < 10 ? `${formatSeconds(Number(seconds.toPrecision(2)))}` : secondsText(seconds);
}

/** `34/s`, `0.12/s` */
export function rateText(perSecond: number): string {
  return `${perSecond >= 10 ? Math.round(perSecond) : Number(perSecond.toPrecision(2))}/s`;
}

export function timesText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const SCOPES: Readonly<Record<OomKill['scope'], string>> = {
  memcg: 'memcg OOM',
  global: 'global OOM',
  oomd: 'systemd-oomd',
  unknown: 'OOM',
};

/** `memcg OOM, pid 989, 1.9 GiB resident, limit 2.0 GiB of /podruntime.slice` */
export function killText(kill: OomKill): string {
  const parts = [SCOPES[kill.scope]];
  if (kill.pid > 0) parts.push(`pid ${kill.pid}`);
  if (kill.residentBytes !== undefined) parts.push(`${formatBytes(kill.residentBytes)} resident`);
  const limit = kill.limitBytes === undefined ? 'limit' : `limit ${formatBytes(kill.limitBytes)}`;
  if (kill.limitCgroup !== '') parts.push(`${limit} of ${kill.limitCgroup}`);
  else if (kill.limitBytes !== undefined) parts.push(limit);
  if (kill.processCgroup !== '' && kill.processCgroup !== kill.limitCgroup) parts.push(`in ${kill.processCgroup}`);
  return parts.join(', ');
}

/** `Ready is False since 2026-11-15T07:12:25Z: KubeletNotReady, PLEG is not healthy`, as far as it says why. */
export function conditionText({ type, status, reason, message }: ConditionObservation, since = ''): string {
  const why = [reason, message.slice(0, 160)].filter(text => text !== '').join(', ');
  return `${type} is ${status}${since}${why === '' ? '' : `: ${why}`}`;
}

/** Observations of one target, without duplicates and in a fixed order: repeated or late input changes nothing. */
export interface Observed {
  readonly metrics: readonly MetricsObservation[];
  readonly kubeEvents: readonly KubeEventObservation[];
  readonly conditions: readonly ConditionObservation[];
  readonly boots: readonly BootObservation[];
  readonly logs: readonly LogObservation[];
  /** The latest time at which anything was observed. */
  readonly lastSeconds: number | undefined;
}

export function observed(observations: Iterable<CycleObservation>): Observed {
  const byKey = new Map<string, CycleObservation>();
  for (const one of observations) byKey.set(JSON.stringify(one), one);
  const sorted = [...byKey]
    .sort(([keyA, a], [keyB, b]) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity) || (keyA < keyB ? -1 : 1))
    .map(([, one]) => one);
  const isExact = (one: CycleObservation): boolean => one.kind !== 'metrics' || one.isExact;
  // The date of a file may be that of a copy, made long after everything else.
  const timed = sorted.filter(({ atSeconds }) => atSeconds !== undefined);
  return {
    metrics: sorted.filter(one => one.kind === 'metrics'),
    kubeEvents: sorted.filter(one => one.kind === 'kube-event'),
    conditions: sorted.filter(one => one.kind === 'condition'),
    boots: sorted.filter(one => one.kind === 'boot'),
    logs: sorted.filter(one => one.kind === 'log'),
    lastSeconds: (timed.findLast(isExact) ?? timed.at(-1))?.atSeconds,
  };
}

/** Without duplicates, in the order of first appearance. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)];
}
