/**
 * The fast scale: whether something rises so strongly, so straight and so far beyond what was seen before that minutes or
 * hours prove it.
 *
 * Every window that ends now is tried, from minutes to two days. One proves a leak when it is long enough for its own
 * speed (`FAST`), straight to its end, not explained by pods, and above everything this target had before.
 */
import type { DetectorOptions } from '../options.ts';
import { leastGrowthOf } from '../slow/judge.ts';
import type { ResourceState, TargetState } from '../target-state.ts';
import type { FastRise } from '../fast-proof.ts';
import { FAST } from './fast-tuning.ts';
import { FINE_BINS, FINE_MINUTES, type FineColumn, MIDDLE_BINS, MIDDLE_EVERY } from '../fine-column.ts';
import { type OtherRises, otherRisesSince } from './other-rises.ts';
import { Past } from './before-rise.ts';
import {
  type Candidate,
  isHeldByStarts,
  isProved,
  mayBeProved,
  minutesToProof,
  mostOfHealthy,
  timesOf,
} from './proof.ts';
import { riseCourse } from './rise-course.ts';
import { type StraightRise, straightRise } from './straight-rise.ts';

const fine = new Float64Array(FINE_BINS);
const finePods = new Float64Array(FINE_BINS);
/** And what has passed of the current one. */
const middle = new Float64Array(MIDDLE_BINS + 1);
const middlePods = new Float64Array(MIDDLE_BINS + 1);

/** `endBin` counts fine bins; the one that runs is not looked at. `room` is what is left to the limit, NaN if unknown. */
export function fastRise(
  target: TargetState,
  resource: ResourceState,
  column: FineColumn,
  endBin: number,
  room: number,
  peers: () => number,
  options: DetectorOptions,
): FastRise | undefined {
  column.advance(endBin);
  column.copyFine(fine, endBin, FINE_BINS);
  const level = lastLevel(fine);
  if (Number.isNaN(level)) return undefined;
  column.copyMiddle(middle, endBin);
  const least = leastGrowthOf(resource.rule, 0, options);
  // Most targets end here: nothing of the last two days is much lower than now.
  const lowest = Math.min(lowestOf(fine), lowestOf(middle));
  const rises = level - lowest > least && level > lowest * (1 + 0.5 * FAST.watchDoublings);
  const isNear = room < FAST.limitHours * 4 * (level - lowest);
  if (!rises && !isNear) return undefined;
  const { effects } = resource;
  const { rule } = resource;
  // Pods differ: what the usual pod holds is not what the next one does.
  const perPod = Math.max(effects.pod + 2 * Math.sqrt(effects.podVariance), rule.perPod + rule.perPodSpread);
  if (target.finePods !== undefined) {
    target.finePods.advance(endBin);
    target.finePods.copyFine(finePods, endBin, FINE_BINS);
    target.finePods.copyMiddle(middlePods, endBin);
    takeOffPods(fine, finePods, perPod);
    takeOffPods(middle, middlePods, perPod);
  }
  const past = new Past(target, resource, endBin * FINE_MINUTES, middle.subarray(0, MIDDLE_BINS), peers());
  const othersSince = (minutes: number): OtherRises => otherRisesSince(target, resource, endBin, minutes);
  const quick = bestWindow(fine, FINE_MINUTES, FAST.leastMinutes, least, past, othersSince);
  const now = Number.isNaN(middle[MIDDLE_BINS]) ? MIDDLE_BINS : MIDDLE_BINS + 1;
  const slow = bestWindow(
    middle.subarray(0, now),
    FINE_MINUTES * MIDDLE_EVERY,
    FINE_BINS * FINE_MINUTES,
    least,
    past,
    othersSince,
  );
  if (quick?.verdict === 'leak') return quick;
  return slow?.verdict === 'leak'
    ? slow
    : (quick ?? slow ?? (isNear ? nearLimit(least, room, past, othersSince) : undefined));
}

/** A rise of whatever strength that reaches the limit within hours. */
function nearLimit(
  least: number,
  room: number,
  past: Past,
  othersSince: (minutes: number) => OtherRises,
): FastRise | undefined {
  for (const minutes of NEAR_LIMIT_MINUTES) {
    const rise = straightRise(fine, FINE_BINS - minutes / FINE_MINUTES, FINE_BINS);
    if (rise === undefined || rise.to - rise.from < least / 2) continue;
    const perHour = (rise.perBin * 60) / FINE_MINUTES;
    if (rise.leastStep <= 0 || rise.steadiness < FAST.watchSteadiness || rise.perBin < 3 * rise.perBinError) continue;
    if (room < FAST.limitHours * perHour) {
      return toFastRise('watch', candidateOf(fine, rise, minutes, past, othersSince), FINE_MINUTES);
    }
  }
  return undefined;
}

const NEAR_LIMIT_MINUTES = [30, 60, 120, 240] as const;

function toFastRise(verdict: FastRise['verdict'], one: Candidate, binMinutes: number): FastRise {
  const { rise, before } = one;
  return {
    verdict,
    minutes: one.minutes,
    from: rise.from,
    to: rise.to,
    perHour: (rise.perBin * 60) / binMinutes,
    perHourError: (rise.perBinError * 60) / binMinutes,
    steadiness: rise.steadiness,
    record: before.highest,
    knows: before.knows,
    own: before.own.usual,
    peers: before.peers,
    most: mostOfHealthy(one),
    moreMinutes: minutesToProof(one),
    peerHangs: before.peerHangs,
    isBusy: isHeldByStarts(rise, before),
  };
}

function candidateOf(
  values: Float64Array,
  rise: StraightRise,
  minutes: number,
  past: Past,
  othersSince: (minutes: number) => OtherRises,
): Candidate {
  return {
    rise,
    course: riseCourse(values, rise),
    minutes,
    unit: past.unit,
    before: past.before(minutes),
    others: othersSince(minutes),
  };
}

/** Median of the last three bins that have a value. */
function lastLevel(values: Float64Array): number {
  const last: number[] = [];
  for (let i = values.length - 1; i >= values.length - 16 && last.length < 3; i--) {
    if (!Number.isNaN(values[i])) last.push(values[i]);
  }
  last.sort((a, b) => a - b);
  return last.length === 0 ? NaN : last[last.length >> 1];
}

function lowestOf(values: Float64Array): number {
  let lowest = Infinity;
  for (const value of values) if (value < lowest) lowest = value;
  return lowest;
}

/** More pods than at the end of the window cannot be; fewer before explain what came with them, at the most per pod. */
function takeOffPods(values: Float64Array, pods: Float64Array, perPod: number): void {
  let now = NaN;
  for (let i = pods.length - 1; i >= 0 && Number.isNaN(now); i--) now = pods[i];
  let last = now;
  for (let i = values.length - 1; i >= 0; i--) {
    if (!Number.isNaN(pods[i])) last = pods[i];
    if (last < now) values[i] += perPod * (now - last);
  }
}

/** The shortest window that proves a leak; else the shortest that is worth watching. */
function bestWindow(
  values: Float64Array,
  binMinutes: number,
  leastMinutes: number,
  least: number,
  past: Past,
  othersSince: (minutes: number) => OtherRises,
): FastRise | undefined {
  const { length } = values;
  let watched: FastRise | undefined;
  for (let bins = Math.ceil(leastMinutes / binMinutes); bins <= length; bins += Math.max(1, bins >> 3)) {
    const rise = straightRise(values, length - bins, length);
    if (rise === undefined || rise.to - rise.from < least) continue;
    const minutes = bins * binMinutes;
    const watches = watched === undefined && isWorthWatching(rise, minutes, past);
    if (!watches && !mayBeProved(rise, minutes)) continue;
    const one = candidateOf(values, rise, minutes, past, othersSince);
    const proved = mayBeProved(rise, minutes) && isProved(one);
    if (!proved && !watches) continue;
    const found = toFastRise(proved ? 'leak' : 'watch', one, binMinutes);
    if (proved) return found;
    watched = found;
  }
  return watched;
}

/**
 * Long enough for its speed: a doubling is the time in which it adds what it found, or what its lives before had, since
 * a process that starts may be above its level or far below.
 */
function isWorthWatching(rise: StraightRise, minutes: number, past: Past): boolean {
  if (rise.steadiness < FAST.watchSteadiness || rise.leastStep <= 0) return false;
  const ofOwn = past.isYoungBefore(minutes) ? rise.to / past.own.usual : NaN;
  const times = ofOwn > timesOf(rise) ? ofOwn : timesOf(rise);
  return (times - 1) * (minutes - FAST.watchMinutes) >= FAST.watchDoublings * minutes;
}
