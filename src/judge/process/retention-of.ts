/**
 * How much a heap family keeps of everything it allocated since the process started.
 *
 *     sites     propagateCancel 28 of 28 | Done 10 of 10 | WithDeadlineCause 0 of 60 | WithTimeout 0 of 21
 *     family    38 of 119: says little
 *     kept      the first two: 38 of 38, at least 0.95
 *
 * A site is the same code each time, so it either keeps or frees; a family mixes sites. A site counts as kept with four
 * samples or more: with fewer, many would look kept by chance.
 */
import type { FamilyCount, HeapAmount, HeapSite } from '../../profile/families/family.ts';
import type { ProcessAge } from '../../evidence/snapshots/process-evidence.ts';
import type { Interval, Retention } from './retention.ts';
import { shareInterval } from '../growth/share-interval.ts';
import { lifetimeOf } from '../../knowledge/cause-of.ts';
import { functionOf, packageOf } from '../../profile/families/normalise.ts';

/** Words in the name of a function, its type or its package. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['cache', 'caches', 'cached', 'caching', 'lru'].map(word => [word, 'a cache, by its name'] as const),
  ...['store', 'stores', 'storage', 'tsdb'].map(word => [word, 'a store, by its name'] as const),
  ...['indexer', 'informer', 'interner', 'arena'].map(word => [word, `an ${word}, by its name`] as const),
]);

/** The confidence interval of an amount that a heap profile estimates from samples. */
const Z = 1.96;

/**
 * Code that runs once in the life of a process, so what it keeps does not grow.
 *
 * Tables of types, metrics and routes, which programs fill at start. Not every `Register`: listeners that register and
 * never unregister are a leak.
 */
const REGISTRATION =
  /(?:^|\.)(?:AddToScheme|[aA]ddKnownTypes\w*|MustRegister\w*|Register(?:Conversions|Defaults|Type|\w+Server)|InstallREST)$/;

/** A site keeps what it allocates if at least this share is live. */
const KEPT_SHARE = 0.9;
const MIN_SITE_SAMPLES = 4;
/** Retained for certain: the lower end of the share's interval is above this. */
const RETAINED_SHARE = 0.8;

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

export function isOneTime({ isInit, frames }: HeapSite): boolean {
  return isInit || frames.some(frame => REGISTRATION.test(functionOf(frame)));
}

/**
 * 95 %. The samples are counts of a Poisson process, each worth about the same; Wilson and Hilferty's bounds are within
 * one percent of the exact ones from three samples on.
 */
export function amountInterval(amount: number, variance: number): Interval {
  if (amount <= 0 || variance <= 0) return [amount, amount, amount];
  const samples = amount ** 2 / variance;
  const each = amount / samples;
  const low = samples * Math.max(0, 1 - 1 / (9 * samples) - Z / (3 * Math.sqrt(samples))) ** 3;
  const next = samples + 1;
  const high = next * (1 - 1 / (9 * next) + Z / (3 * Math.sqrt(next))) ** 3;
  return [low * each, amount, high * each];
}

/** Why these frames keep by design, in words; null if no reason is known. */
export function storeOf(frames: readonly string[]): string | null {
  if (frames.every(frame => packageOf(frame) === 'runtime')) return 'memory of the Go runtime, which reuses it';
  const lifetime = lifetimeOf({ kind: 'heap', frames, states: new Map(), creators: new Map(), waitMinutes: undefined });
  if (lifetime !== undefined && lifetime.fillsTo !== '') return lifetime.of;
  for (const frame of frames) {
    const store = wordsOf(frame)
      .map(word => WORDS.get(word))
      .find(one => one !== undefined);
    if (store !== undefined) return store;
  }
  return null;
}

/** `example.com/x/podcache.(*fileStore).fillAll` as `podcache file store fill all`. */
function wordsOf(frame: string): string[] {
  const path = packageOf(frame);
  // sync.Pool and sync.Map are not stores of their own.
  if (path === 'sync') return [];
  const last = path.slice(path.lastIndexOf('/') + 1);
  const spaced = `${last} ${functionOf(frame)}`
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return spaced.toLowerCase().split(/[^\p{L}\d]+/u);
}
