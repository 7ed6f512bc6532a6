/** Phrases for durations, cgroups and kills. */
import type { OomKill } from '../../evidence/cycle/cycle.ts';
import { formatAge, formatBytes } from '../../base/say.ts';

export function secondsText(seconds: number): string {
  return formatAge(seconds);
}

/** `0.35 s`, if a tenth matters. */
export function durationText(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toPrecision(2))} s` : secondsText(seconds);
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
