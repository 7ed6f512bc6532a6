/** A verdict of the fast scale in plain words: one line, then its grounds, last what would change it. */
import { formatAge, formatBytes, formatCount } from '../../../base/quantities.ts';
import type { ResourceVerdict } from '../detection.ts';
import { verbOf } from '../../../evidence/resource.ts';
import type { FastRise } from '../state/fast-proof.ts';

export interface FastContext {
  /** Proved before, and its level is still up. */
  readonly held: boolean;
  readonly hasPods: boolean;
  /** Hours of the detector in an hour. */
  readonly scale: number;
}

export function fastReasons(
  numbers: Omit<ResourceVerdict, 'reasons'>,
  rise: FastRise,
  context: FastContext,
): readonly string[] {
  const amount = numbers.unit === 'bytes' ? formatBytes : formatCount;
  const span = (minutes: number): string => formatAge((minutes * 60) / context.scale);
  const [low, high] = numbers.slopeInterval;
  const rate = `${amount(numbers.slopePerHour)}/h (${amount(low)} to ${amount(high)})`;
  const times = rise.from > 0 ? `, ${(rise.to / rise.from).toFixed(1)} times what it was` : '';
  const grew = `from ${amount(rise.from)} to ${amount(rise.to)} in ${span(rise.minutes)}`;
  const grounds = [
    `over the last ${span(rise.minutes)} it grew ${amount(rise.to - rise.from)}${times}, and it goes on`,
    `late in the rise it adds ${Math.min(rise.steadiness, 9.99).toFixed(2)} of what it added early`,
  ];
  if (Number.isFinite(rise.most))
    grounds.push(`in that time what is healthy reaches ${rise.most.toFixed(1)} times at most`);
  if (!Number.isNaN(rise.own)) grounds.push(`its lives before had ${amount(rise.own)}`);
  if (!Number.isNaN(rise.record)) grounds.push(`it was never above ${amount(rise.record)} before`);
  if (rise.knows === 'nothing') {
    const peers = Number.isNaN(rise.peers) ? '' : `; others of the same program have ${amount(rise.peers)}`;
    grounds.push(`the process is young and had not settled before, so it may still load${peers}`);
  }
  grounds.push(`read from ${numbers.metric}${context.hasPods ? ', what more pods could explain taken off' : ''}`);
  const verdict = `${numbers.resource} ${verbOf(numbers.resource, 'grows')} ${rate}, ${grew}${sinceWhat(rise)}`;
  if (numbers.verdict === 'leak') {
    const now = context.held ? ', proved before and not gone since' : '';
    return [
      `${verdict}${now}${limitText(numbers)}`,
      ...grounds,
      'a level that falls by half of the rise would clear it',
    ];
  }
  return [`${verdict}${limitText(numbers)}`, ...grounds, whatItNeeds(rise, span)];
}

function whatItNeeds({ moreMinutes }: FastRise, span: (minutes: number) => string): string {
  if (moreMinutes === undefined) return 'a steady rise beyond that would make it a leak';
  return `${span(moreMinutes)} more of the same would make it a leak`;
}

function sinceWhat({ peerHangs, isBusy }: FastRise): string {
  if (peerHangs) return ', since calls to the container runtime began to fail';
  return isBusy ? ', while pods start more often than before' : '';
}

function limitText({ timeToLimitHours }: Pick<ResourceVerdict, 'timeToLimitHours'>): string {
  if (timeToLimitHours === undefined) return '';
  const [low, high] = timeToLimitHours;
  if (high === 0) return '; at its limit';
  if (!Number.isFinite(high)) return `; limit in ${formatAge(low * 3600)} at the earliest`;
  return `; limit in ${formatAge(low * 3600)} to ${formatAge(high * 3600)}`;
}
