/**
 * Whether a rise on the fast scale proves a leak: how far it came, against how far healthy processes come in that time,
 * less what its shape leaves in doubt.
 *
 *     excess = log(reach / most of healthy processes) - doubt        above 0: a leak
 *
 * A rise that is far beyond the others may have a poor shape; one that is hardly beyond them must be a line.
 */
import type { ResourceUnit } from '../../../evidence/resource.ts';
import type { Beside } from './beside.ts';
import { doubtOf, isSteady } from './doubt.ts';
import { type Envelope, FULL_MINUTES, mostOf } from './envelope.ts';
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
function hasConnections({ unit, rise, beside }: Candidate): boolean {
  return unit === 'count' && beside.descriptors > FAST.descriptorShare * (rise.to - rise.from);
}

/** Clients, and the load of a day, raise goroutines and heap alike. */
function risesTogether({ rise, beside }: Candidate): boolean {
  return beside.otherTimes > 1 + FAST.togetherShare * (timesOf(rise) - 1);
}
