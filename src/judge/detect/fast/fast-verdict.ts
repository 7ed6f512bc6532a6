/** What the fast scale says about one resource, as a verdict with its numbers; undefined when it says nothing. */
import type { Interval, ResourceVerdict } from '../detection.ts';
import type { DetectorOptions } from '../options.ts';
import { memoryLimitOf, type ResourceState, type TargetState } from '../target-state.ts';
import { hoursToLimit, limitInputs } from '../slow/time-to-limit.ts';
import { isProvedFast } from './other-rises.ts';
import { fastRise } from './fast-rise.ts';
import type { FastRise } from '../fast-proof.ts';
import { FAST } from './fast-tuning.ts';
import type { Peers } from './peers.ts';
import { FINE_MINUTES, type FineColumn } from '../fine-column.ts';
import { amountIn, formatAge, hourly, limitIn } from '../../../base/say.ts';
import { GO_THREAD_LIMIT, type Resource, verbOf } from '../../../evidence/resource.ts';

export interface FastInput {
  readonly target: TargetState;
  readonly resource: ResourceState;
  readonly atSeconds: number;
  /** An hour of the detector. */
  readonly binSeconds: number;
  readonly options: DetectorOptions;
  readonly peers: Peers;
}

/** 5 % of a normal distribution lie beyond it on each side. */
const Z90 = 1.645;
/** No rate is known better than this, as a share. */
const RATE_DOUBT = 0.05;
const BINS_PER_HOUR: number = 60 / FINE_MINUTES;

export function fastVerdict(input: FastInput): ResourceVerdict | undefined {
  const { target, resource, binSeconds } = input;
  const { fine } = resource;
  if (fine === undefined) return undefined;
  const fineBin = Math.floor((input.atSeconds * BINS_PER_HOUR) / binSeconds);
  // A few minutes more change little: evaluating each minute costs as much as each five.
  const { lastFast } = resource;
  const isSameLife = resource.fastProof === undefined || resource.fastProof.epoch === target.epoch;
  if (isSameLife && fineBin - lastFast.fineBin < FAST.againMinutes / FINE_MINUTES) return lastFast.verdict;
  const verdict = judgeFast(input, fine, fineBin);
  resource.lastFast = { fineBin, verdict };
  return verdict;
}

function judgeFast(input: FastInput, fine: FineColumn, fineBin: number): ResourceVerdict | undefined {
  const { target, resource, options } = input;
  const rise = fastRise(
    target,
    resource,
    fine,
    fineBin,
    roomOf(input, fine.last(fineBin)),
    () => input.peers.usualOf(target, resource, Math.floor(input.atSeconds / input.binSeconds)),
    options,
  );
  if (rise?.verdict === 'leak' && !isProvedFast(resource.rule.resource))
    return describe(input, { ...rise, verdict: 'watch' }, false);
  if (rise?.verdict === 'leak') {
    resource.fastProof = { rise, fineBin, epoch: target.epoch };
    resource.leakyEpochs.add(target.epoch);
    return describe(input, rise, false);
  }
  const { fastProof } = resource;
  if (fastProof !== undefined) {
    if (isHeld(fastProof, target, fine, fineBin)) return describe(input, rise ?? fastProof.rise, true);
    resource.fastProof = undefined;
  }
  return rise === undefined ? undefined : describe(input, rise, false);
}

/** A proved rise stays one while its level stays up, and for a while after a restart, which may bring it back. */
function isHeld(
  { rise, fineBin: provedBin, epoch }: NonNullable<ResourceState['fastProof']>,
  target: TargetState,
  fine: FineColumn,
  fineBin: number,
): boolean {
  if (fineBin - provedBin > FAST.holdHours * BINS_PER_HOUR) return false;
  if (target.epoch !== epoch) return true;
  const level = fine.last(fineBin);
  return !(level < rise.to - FAST.goneShare * (rise.to - rise.from));
}

/** What the resource may grow by before it reaches its limit; NaN when no limit is known. */
function roomOf(input: FastInput, level: number): number {
  const limit = limitOf(input, level);
  return limit.value - limit.level;
}

/** The limit, and what counts towards it now. */
function limitOf({ target, resource, options }: FastInput, level: number): { value: number; level: number } {
  switch (resource.rule.resource) {
    case 'live heap':
    case 'memory outside the Go heap':
      return { value: memoryLimitOf(target, options), level: target.lastResident };
    case 'file descriptors':
      return { value: target.fileLimit, level };
    case 'threads':
      return { value: GO_THREAD_LIMIT, level };
    case 'goroutines':
    case 'stacks':
    case 'metric series':
      return { value: NaN, level };
  }
}

function describe(input: FastInput, rise: FastRise, held: boolean): ResourceVerdict {
  const { target, resource, binSeconds } = input;
  const scale = 3600 / binSeconds;
  const margin = Z90 * Math.hypot(rise.perHourError, RATE_DOUBT * rise.perHour);
  const slopeInterval: Interval = [(rise.perHour - margin) * scale, (rise.perHour + margin) * scale];
  const limit = limitOf(input, rise.to);
  const timeToLimitHours = scaled(timeToLimit(input, rise, margin), scale);
  const numbers: Omit<ResourceVerdict, 'reasons'> = {
    resource: resource.rule.resource,
    verdict: held ? 'leak' : rise.verdict,
    metric: resource.metric,
    unit: resource.rule.unit,
    level: rise.to,
    slopePerHour: rise.perHour * scale,
    slopeInterval,
    onsetSeconds: input.atSeconds - (rise.minutes * binSeconds) / 60,
    timeToLimitHours,
    limit: limitInputs(limit.value, limit.level, timeToLimitHours),
    clock: { per: 'hour', amount: rise.perHour * scale },
    explanation: rise.peerHangs ? 'hung peer' : rise.isBusy && rise.verdict === 'watch' ? 'churn' : undefined,
  };
  return { ...numbers, reasons: fastReasons(numbers, rise, { held, hasPods: target.pods !== undefined, scale }) };
}

function scaled(hours: Interval | undefined, scale: number): Interval | undefined {
  return hours === undefined ? undefined : [hours[0] / scale, hours[1] / scale];
}

/** Resident memory holds what is live, and up to as much again until the next collection. */
const RESIDENT_PER_LIVE = [1.05, 2] as const;

function timeToLimit(input: FastInput, rise: FastRise, margin: number): Interval | undefined {
  const room = roomOf(input, rise.to);
  if (Number.isNaN(room)) return undefined;
  const isHeap = input.resource.rule.resource === 'live heap' && !/resident|working_set/.test(input.resource.metric);
  const [slowest, fastest] = isHeap ? RESIDENT_PER_LIVE : [1, 1];
  const low = hoursToLimit({
    limit: room,
    level: 0,
    perHour: rise.perHour * fastest,
    standardError: (margin * fastest) / Z90,
  });
  const high = hoursToLimit({
    limit: room,
    level: 0,
    perHour: rise.perHour * slowest,
    standardError: (margin * slowest) / Z90,
  });
  return low === undefined || high === undefined ? undefined : [low[0], high[1]];
}

/** A verdict of the fast scale in plain words: one line, then its grounds, last what would change it. */
interface FastContext {
  /** Proved before, and its level is still up. */
  readonly held: boolean;
  readonly hasPods: boolean;
  /** Hours of the detector in an hour. */
  readonly scale: number;
}

function fastReasons(
  numbers: Omit<ResourceVerdict, 'reasons'>,
  rise: FastRise,
  context: FastContext,
): readonly string[] {
  const amount = amountIn(numbers.unit);
  const span = (minutes: number): string => formatAge((minutes * 60) / context.scale);
  const [low, high] = numbers.slopeInterval;
  const rate = `${hourly(amount(numbers.slopePerHour))} (${amount(low)} to ${amount(high)})`;
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
  const near = limitIn(numbers.timeToLimitHours);
  const limit = near === undefined ? '' : `; ${near}`;
  if (numbers.verdict === 'leak') {
    const now = context.held ? ', proved before and not gone since' : '';
    return [`${verdict}${now}${limit}`, ...grounds, 'a level that falls by half of the rise would clear it'];
  }
  return [`${verdict}${limit}`, ...grounds, whatItNeeds(numbers.resource, rise, span)];
}

/** What shows whose they are. */
const SHOWN_BY: ReadonlyMap<Resource, string> = new Map([
  ['file descriptors', `what they are decides: ls -l /proc/PID/fd | awk '{print $NF}' | sort | uniq -c | sort -rn`],
  ['threads', 'what they do decides: the goroutines in syscall or locked to a thread, in a debug=2 dump'],
  ['metric series', 'which metric and label take new values decides: oakum analyze on two scrapes names them'],
  ['memory outside the Go heap', 'RssAnon against RssFile in /proc/PID/status decides: file pages are no leak'],
]);

function whatItNeeds(resource: Resource, { moreMinutes }: FastRise, span: (minutes: number) => string): string {
  const shown = SHOWN_BY.get(resource);
  if (shown !== undefined) return shown;
  if (moreMinutes === undefined) return 'a steady rise beyond that would make it a leak';
  return `${span(moreMinutes)} more of the same would make it a leak`;
}

function sinceWhat({ peerHangs, isBusy }: FastRise): string {
  if (peerHangs) return ', since calls to the container runtime began to fail';
  return isBusy ? ', while pods start more often than before' : '';
}
