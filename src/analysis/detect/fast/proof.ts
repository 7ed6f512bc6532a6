/**
 * Whether a rise on the fast scale proves a leak: how far it came, against how far healthy processes come in that time,
 * less what its shape leaves in doubt.
 *
 *     excess = log(reach / most of healthy processes) - doubt        above 0: a leak
 *
 * A rise that is far beyond the others may have a poor shape; one that is hardly beyond them must be a line.
 */
import type { ResourceUnit } from '../../../model/resource.ts';
import type { Beside } from './beside.ts';
import { doubtOf, isSteady } from './doubt.ts';
import {
  AFTER_BURST_MINUTES,
  BURST_MINUTES,
  CACHE_MINUTES,
  type EnvelopeRow,
  FULL_MINUTES,
  mostOf,
} from './envelope.ts';
import { FAST } from './fast-tuning.ts';
import type { Before } from './past.ts';
import type { RiseCourse } from './rise-course.ts';
import type { StraightRise } from './straight-rise.ts';

type Ends = Pick<StraightRise, 'from' | 'to'>;

export interface Candidate {
  readonly rise: StraightRise;
  readonly course: RiseCourse;
  readonly minutes: number;
  readonly unit: ResourceUnit;
  readonly before: Before;
  readonly beside: Beside;
}

/** What tells the level that a process should have. */
type Knowledge =
  | 'settled' // its own level before the rise
  | 'own' // it was restarted: its lives before
  | 'kin' // it is new: others that began alike
  | 'new' // nothing
  | 'filling'; // nothing, but the rise began when it was older than an hour

/** Quickly excludes most rises. */
export function mayBeProved(rise: Ends, minutes: number): boolean {
  return minutes >= FAST.proofMinutes && timesOf(rise) >= FAST.leastTimes;
}

export function isProved(one: Candidate): boolean {
  const { rise, course, before } = one;
  // Something else explains it.
  if (before.peerHangs || isHeldByStarts(rise, before)) return false;
  const most = mostOfHealthy(one);
  const beyond = Math.log(Math.min(reachOf(one, most), most * countShare(one)) / most);
  return Math.max(beyond, beyondKubelets(one)) > doubtOf(rise, course);
}

/** How many times their level healthy processes reach in the time of this rise. */
export function mostOfHealthy(one: Candidate): number {
  const knowledge = knowledgeOf(one.before);
  const minutes = provenMinutes(one);
  if (knowledge === 'new') return mostOf(rowOfNew(one), minutes);
  const most = mostOf(rowOf(one), isKnownOtherwise(knowledge) ? withoutOnset(minutes) : minutes);
  return knowledge === 'filling' ? Math.max(most, mostOf(FAST.envelope.sinceBirth, minutes)) : most;
}

/** How much longer a rise must go on at this speed to be proved; undefined if it never gets there. */
export function minutesToProof(one: Candidate): number | undefined {
  const { rise, minutes } = one;
  const row = rowOf(one);
  const perMinute = (rise.to - rise.from) / minutes;
  for (let more = 1; more < FAST.mostMinutesToProof; more = Math.ceil(more * 1.1)) {
    const reach = rise.from > 0 ? (rise.to + perMinute * more) / rise.from : Infinity;
    if (minutes + more >= FAST.proofMinutes && reach > mostOf(row, minutes + more)) return more;
  }
  return undefined;
}

/** Pods that start hold what they need to start. */
export function isHeldByStarts({ from, to }: Ends, { isBusy, heldByStarts }: Before): boolean {
  return isBusy && to - from < heldByStarts;
}

export function timesOf({ from, to }: Ends): number {
  return from > 0 ? to / from : Infinity;
}

function knowledgeOf({ ageHours, own, kin }: Before): Knowledge {
  if (ageHours >= FAST.settledHours) return 'settled';
  if (own.hours >= FAST.own.hours) return 'own';
  if (kin.lives > 0) return 'kin';
  return ageHours < FAST.newHours ? 'new' : 'filling';
}

function isKnownOtherwise(knowledge: Knowledge): boolean {
  return knowledge === 'own' || knowledge === 'kin';
}

/** The level now over the level that it should have, as far as that is known. */
function reachOf(one: Candidate, most: number): number {
  const { rise, before } = one;
  const times = timesOf(rise);
  // What this process had before is no leak; in its first hours it had nothing.
  const ofRecord = lessOf(Infinity, (rise.to / before.highest) * FAST.aboveRecord);
  switch (knowledgeOf(before)) {
    case 'own':
      return Math.min(ofRecord, times * FAST.own.times, rise.to / (before.own.usual * FAST.own.level));
    case 'kin':
      return Math.min(ofRecord, reachOfKin(one));
    case 'new':
      return Math.min(ofRecord, reachOfNew(one, most));
    default:
      return Math.min(ofRecord, times);
  }
}

function reachOfKin({ rise, before: { kin } }: Candidate): number {
  const { times, level, aboveHigh, aboveFew, few } = FAST.kin;
  const aboveAll = kin.lives < few ? aboveFew : aboveHigh;
  return Math.min(timesOf(rise) * times, rise.to / (kin.usual * level), (rise.to / kin.high) * aboveAll);
}

/** A process that has just started loads what it needs; the line through its rise, drawn back to its birth, shows it. */
function reachOfNew(one: Candidate, most: number): number {
  const { rise, before } = one;
  const perHour = (rise.perBin * rise.bins * 60) / one.minutes;
  const atBirth = rise.to - perHour * before.lifeHours;
  const ofBirth = atBirth > FAST.fresh.leastAtBirth * rise.to ? rise.to / atBirth : Infinity;
  const ofLine = (ofBirth * most) / mostOf(FAST.envelope.sinceBirth, provenMinutes(one));
  if (before.ageHours >= FAST.fresh.loadHours) return Math.min(timesOf(rise), ofLine);
  const loaded = before.hasPods ? FAST.fresh.kubeletLoads : FAST.fresh.loads;
  return Math.min(timesOf(rise) / loaded, lessOf(Infinity, (rise.to / before.start) * FAST.fresh.ofStart), ofLine);
}

/** Below 1 if so few goroutines came that sessions, calls and workers bring as many. */
function countShare(one: Candidate): number {
  return one.unit === 'bytes' ? Infinity : (one.rise.to - one.rise.from) / leastCountOf(one);
}

function leastCountOf(one: Candidate): number {
  const { leastCount, kubelet } = FAST;
  if (!one.before.hasPods) return leastCount;
  const knowledge = knowledgeOf(one.before);
  if (knowledge !== 'settled' && knowledge !== 'own') return kubelet.burstCount;
  if (provenMinutes(one) >= FAST.burstMinutes) return kubelet.leastCount;
  return hasConnections(one) ? kubelet.sessionCount : kubelet.burstCount;
}

/** Kubelets are all of one kind: none that is healthy adds so much, whatever its level was. */
function beyondKubelets({ rise, unit, before }: Candidate): number {
  if (!before.hasPods) return -Infinity;
  const { hugeCount, hugeBytes, hugeTimes } = FAST.kubelet;
  const added = (rise.to - rise.from) / (unit === 'bytes' ? hugeBytes : hugeCount);
  return Math.log(Math.min(added, timesOf(rise) / hugeTimes));
}

/** How long it has lasted, as far as its shape allows to say so: caches and days look steady only for a day. */
function provenMinutes(one: Candidate): number {
  const risen = risenMinutes(one);
  return isSteady(one.rise) ? risen : Math.min(risen, FULL_MINUTES);
}

function risenMinutes({ minutes, rise, course }: Candidate): number {
  return minutes * Math.min(FAST.mostOfWindow, course.bins / rise.bins);
}

/** Where the level is known from elsewhere, its rise may have begun long before the window. */
function withoutOnset(minutes: number): number {
  return minutes > BURST_MINUTES ? Math.max(minutes, CACHE_MINUTES) : minutes;
}

function rowOf(one: Candidate): EnvelopeRow {
  // The load of a day that was seen before is in the record.
  const isNewDay = one.before.seenHours < FAST.dayHours;
  const together = risesTogether(one) && (isNewDay || risenMinutes(one) < AFTER_BURST_MINUTES);
  if (one.unit === 'bytes') return together ? FAST.envelope.heapTogether : FAST.envelope.heap;
  if (together) return FAST.envelope.goroutinesTogether;
  return hasConnections(one) ? FAST.envelope.clients : FAST.envelope.goroutines;
}

function rowOfNew({ unit, before }: Candidate): EnvelopeRow {
  if (before.hasPods) return FAST.envelope.newKubelet;
  return unit === 'bytes' ? FAST.envelope.newHeap : FAST.envelope.newGoroutines;
}

function hasConnections({ rise, beside }: Candidate): boolean {
  return beside.descriptors > FAST.descriptorShare * (rise.to - rise.from);
}

/** Sessions, and the load of a day, raise goroutines and heap alike. */
function risesTogether({ rise, beside }: Candidate): boolean {
  return beside.otherTimes > 1 + FAST.togetherShare * (timesOf(rise) - 1);
}

/** The lesser; the first if the second is not known. */
function lessOf(known: number, other: number): number {
  return other < known ? other : known;
}
