/**
 * How much a heap family keeps of everything it allocated since the process started.
 *
 *     sites     propagateCancel 28 of 28 | Done 10 of 10 | WithDeadlineCause 0 of 60 | WithTimeout 0 of 21
 * family    38 of 119: says little
 *     kept      the first two: 38 of 38, at least 0.95
 *
 * A site is the same code each time, so it either keeps or frees; a family mixes sites. A site counts as kept with four
 * samples or more: with fewer, many would look kept by chance.
 */
import type { FamilyCount, HeapAmount, HeapSite } from '../../profile/families/family.ts';
import type { ProcessAge } from '../../evidence/snapshots/process-age.ts';
import type { Interval, Retention } from './retention.ts';
import { isOneTime } from './one-time.ts';
import { amountInterval } from './sampled-amount.ts';
import { shareInterval } from './share-interval.ts';
import { storeOf } from './stores.ts';

/** A site keeps what it allocates if at least this share is live. */
const KEPT_SHARE = 0.9;
const MIN_SITE_SAMPLES = 4;
/** Retained for certain: the lower end of the share's interval is above this. */
export const RETAINED_SHARE = 0.8;

/** Undefined if the profile does not record allocations. */
export function retentionOf({ sites }: FamilyCount, age: ProcessAge | undefined): Retention | undefined {
  if (sites.length === 0) return undefined;
  const recurring = sites.filter(site => !isOneTime(site));
  const judged = recurring.length > 0 ? recurring : sites;
  const kept = keptSites(judged);
  const measured = kept.length > 0 ? kept : judged;
  const [live, allocated] = [sumOf(measured, 'live'), sumOf(measured, 'allocated')];
  return {
    retainedShare: shareInterval(live.samples, allocated.samples),
    samples: Math.round(allocated.samples),
    liveSamples: Math.round(live.samples),
    allocatedObjects: allocated.objects,
    liveObjects: live.objects,
    allocatedBytes: allocated.bytes,
    liveBytes: live.bytes,
    sites: sites.length,
    keptSites: kept.length,
    perHour: age === undefined || kept.length === 0 ? null : perHour(live, age.seconds),
    ageSeconds: age?.seconds ?? null,
    ageFrom: age?.from ?? null,
    isOneTime: recurring.length === 0,
    store: storeOf(measured.flatMap(({ frames }) => frames)),
    undecided: null,
    since: null,
  };
}

/** All sites if the family as a whole keeps; else those that do. Never code that runs once. */
export function keptSites(sites: readonly HeapSite[]): readonly HeapSite[] {
  const recurring = sites.filter(site => !isOneTime(site));
  const [live, allocated] = [sumOf(recurring, 'live'), sumOf(recurring, 'allocated')];
  if (isRetained(shareInterval(live.samples, allocated.samples))) return recurring;
  return recurring.filter(site => keeps(site));
}

function keeps({ live, allocated }: HeapSite): boolean {
  return allocated.samples > MIN_SITE_SAMPLES - 0.5 && live.samples >= KEPT_SHARE * allocated.samples;
}

export function isRetained([low]: Interval): boolean {
  return low > RETAINED_SHARE;
}

export function sumOf(sites: readonly HeapSite[], which: 'live' | 'allocated'): HeapAmount {
  const sum = { objects: 0, bytes: 0, samples: 0, variance: 0 };
  for (const { [which]: amount } of sites) {
    sum.objects += amount.objects;
    sum.bytes += amount.bytes;
    sum.samples += amount.samples;
    sum.variance += amount.variance;
  }
  return sum;
}

function perHour({ bytes, variance }: HeapAmount, seconds: number): Interval | null {
  if (seconds <= 0) return null;
  const [low, middle, high] = amountInterval(bytes, variance);
  const factor = 3600 / seconds;
  return [low * factor, middle * factor, high * factor];
}
