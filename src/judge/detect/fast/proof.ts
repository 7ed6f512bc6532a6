/**
 * Whether a rise on the fast scale proves a leak: how far it came, against how far healthy processes come in that time,
 * less what its shape leaves in doubt.
 *
 *     excess = log(reach / most of healthy processes) - doubt        above 0: a leak
 *
 * A rise that is far beyond the others may have a poor shape; one that is hardly beyond them must be a line.
 */
import type { ResourceUnit } from '../../../evidence/resource.ts';
import type { OtherRises } from './other-rises.ts';
import { FAST } from './fast-tuning.ts';
import type { Before } from './before-rise.ts';
import type { RiseCourse } from './rise-course.ts';
import type { StraightRise } from './straight-rise.ts';

/** Sessions and batch jobs arrive within an hour, which is seen with some delay; the second is for sure. */
const BURST_MINUTES = 70;

const AFTER_BURST_MINUTES = 90;

/** What fills slowly, or goes up by day, does so within a day. */
const FULL_MINUTES = 1500;

const DAYS_MINUTES = 2300;

type Ends = Pick<StraightRise, 'from' | 'to'>;

export interface Candidate {
  readonly rise: StraightRise;
  readonly course: RiseCourse;
  readonly minutes: number;
  readonly unit: ResourceUnit;
  readonly before: Before;
  readonly others: OtherRises;
}

/** Quickly excludes most rises. */
export function mayBeProved(rise: Ends, minutes: number): boolean {
  return minutes >= FAST.proofMinutes && timesOf(rise) >= FAST.leastTimes;
}

export function isProved(one: Candidate): boolean {
  const { rise, course, before } = one;
  // Something else explains it.
  if (before.peerHangs || isHeldByStarts(rise, before)) return false;
  if (one.unit === 'count' && rise.to - rise.from < FAST.leastCount) return false;
  return Math.log(reachOf(one) / mostOfHealthy(one)) > doubtOf(rise, course);
}

/** How many times their level healthy processes reach in the time of this rise. */
export function mostOfHealthy(one: Candidate): number {
  return mostOf(envelopeOf(one), provenMinutes(one));
}

/** How much longer a rise must go on at this speed to be proved; undefined if it never gets there. */
export function minutesToProof(one: Candidate): number | undefined {
  const { rise, minutes } = one;
  const envelope = envelopeOf(one);
  const perMinute = (rise.to - rise.from) / minutes;
  for (let more = 1; more < FAST.mostMinutesToProof; more = Math.ceil(more * 1.1)) {
    const reach = reachOf({ ...one, rise: { ...rise, to: rise.to + perMinute * more } });
    if (minutes + more >= FAST.proofMinutes && reach > mostOf(envelope, minutes + more)) return more;
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

/** The level now over the level that it should have, as far as that is known. */
function reachOf({ rise, before }: Candidate): number {
  const times = timesOf(rise);
  // What this process had before is no leak; in its first hours it had nothing.
  const ofRecord = Number.isNaN(before.highest) ? Infinity : (rise.to / before.highest) * FAST.aboveRecord;
  switch (before.knows) {
    case 'its level':
      return Math.min(times, ofRecord);
    case 'lives before':
      return Math.min(rise.to / before.own.usual, ofRecord);
    case 'nothing':
      return Math.min(times, ofRecord, reachOfYoung(times, rise.to / before.peers));
  }
}

/**
 * Its first level is below the one it will have, and its peers' is not quite its own: the truth is between them. A
 * process that has just begun has next to nothing, which is no level.
 */
function reachOfYoung(times: number, ofPeers: number): number {
  if (Number.isNaN(ofPeers)) return times / FAST.youngAlone;
  return Math.sqrt(Math.min(times, ofPeers / FAST.youngShare) * ofPeers);
}

function envelopeOf(one: Candidate): Envelope {
  const { settled, restarted, youngHeap, youngGoroutines, clients, youngClients, bothHours } = FAST.envelope;
  const isConnected = hasConnections(one);
  switch (one.before.knows) {
    case 'its level': {
      const { burst, hours, days } = settled;
      if (risesTogether(one)) return { burst: clients, hours: bothHours, days };
      return { burst: isConnected ? clients : burst, hours, days };
    }
    case 'lives before':
      return isConnected ? { ...restarted, burst: clients } : restarted;
    case 'nothing': {
      const young = one.unit === 'bytes' ? youngHeap : youngGoroutines;
      return isConnected ? { ...young, burst: youngClients } : young;
    }
  }
}

/** How long it has lasted, as far as its shape allows to say so: caches and days look steady only for a day. */
function provenMinutes(one: Candidate): number {
  const risen = risenMinutes(one);
  return isSteady(one.rise) ? risen : Math.min(risen, FULL_MINUTES);
}

function risenMinutes({ minutes, rise, course }: Candidate): number {
  return minutes * Math.min(FAST.mostOfWindow, course.bins / rise.bins);
}

/** Clients bring their connections. */
function hasConnections({ unit, rise, others }: Candidate): boolean {
  return unit === 'count' && others.descriptors > FAST.descriptorShare * (rise.to - rise.from);
}

/** Clients, and the load of a day, raise goroutines and heap alike. */
function risesTogether({ rise, others }: Candidate): boolean {
  return others.otherTimes > 1 + FAST.togetherShare * (timesOf(rise) - 1);
}

/**
 * What the shape of a rise leaves in doubt, as a share of how far it came: see straight-rise.ts and rise-course.ts.
 *
 * In logarithms of times: a doubt of 0.1 asks for a rise that is a tenth higher.
 */
export function doubtOf({ steadiness, straightness, lastStep }: StraightRise, { fall }: RiseCourse): number {
  const { slows, quickens, bends, ends, falls } = FAST.doubt;
  return (
    slows.weight * Math.max(0, slows.below - steadiness) +
    quickens.weight * Math.max(0, Math.min(steadiness, quickens.most) - quickens.above) +
    bends.weight * Math.max(0, bends.below - straightness) +
    ends.weight * Math.max(0, ends.below - lastStep) +
    falls.weight * Math.max(0, fall - falls.above)
  );
}

/** So steady that, after a day and a half, it is neither a cache nor a season. */
export function isSteady({ straightness, steadiness, leastStep }: StraightRise): boolean {
  const { steady } = FAST;
  return (
    straightness >= steady.straightness &&
    steadiness >= steady.steadiness &&
    steadiness <= steady.mostSteadiness &&
    leastStep >= 0
  );
}

/**
 * How far healthy processes rise: the most times their level that a rise of so many minutes reaches.
 *
 *     minutes    up to 70     90 ... 1500           from 2300 on
 *     what       batch jobs,  caches fill,          caches are full:
 *     rises      sessions     a day goes up         only what is steady counts
 *
 * Between these minutes it is a straight line in the logarithms of both.
 */
interface Envelope {
  readonly burst: number;
  readonly hours: number;
  readonly days: number;
}

export function mostOf({ burst, hours, days }: Envelope, minutes: number): number {
  if (minutes <= AFTER_BURST_MINUTES) return between(minutes, BURST_MINUTES, AFTER_BURST_MINUTES, burst, hours);
  return between(minutes, FULL_MINUTES, DAYS_MINUTES, hours, days);
}

function between(minutes: number, from: number, to: number, first: number, last: number): number {
  const share = Math.log(minutes / from) / Math.log(to / from);
  return first * (last / first) ** Math.min(1, Math.max(0, share));
}
