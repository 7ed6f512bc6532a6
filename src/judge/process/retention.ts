/**
 * Retention: the share of everything a heap family ever allocated that is still live.
 *
 *     since the start   allocated 129,405 objects (28 samples)   live 129,405 (28 samples)
 *     retained share    1, at least 0.93                         14 MiB in 34 min: 24.7 MiB/h
 *
 * The sites of a family differ: if some keep everything and others nothing, the figures describe the sites that keep.
 * Package initialisers are left out, unless there is nothing else.
 */
import type { AgeSource } from '../../evidence/snapshots/process-evidence.ts';
import { formatAge, formatBytes, formatCount, formatPercent, hourly } from '../../base/say.ts';

/** An estimate between the ends of its 95 % interval. */
export type Interval = readonly [low: number, middle: number, high: number];

export interface Retention {
  /** Share of sampled objects, 0 to 1. */
  readonly retainedShare: Interval;
  /** Sampled allocations, and those of them that are live. */
  readonly samples: number;
  readonly liveSamples: number;
  readonly allocatedObjects: number;
  readonly liveObjects: number;
  readonly allocatedBytes: number;
  readonly liveBytes: number;
  /** Allocation sites of the family, and how many keep what they allocate. The figures describe the latter, if any. */
  readonly sites: number;
  readonly keptSites: number;
  /** What those sites kept, in bytes per hour of the process's life; null without any, or if the age is unknown. */
  readonly perHour: Interval | null;
  readonly ageSeconds: number | null;
  readonly ageFrom: AgeSource | null;
  /** Allocated by code that runs once: package initialisers, registrations. */
  readonly isOneTime: boolean;
  /** Why it keeps by design: `the store of an informer`; null if no reason is known. */
  readonly store: string | null;
  /** For a large family that keeps everything: why that does not prove a leak, and what would. Otherwise null. */
  readonly undecided: string | null;
  /** Between the first and the last profile; null if there is only one. */
  readonly since: NewRetention | null;
}

/** New allocations, and what was newly kept. */
export interface NewRetention {
  readonly seconds: number | null;
  readonly samples: number;
  readonly allocatedBytes: number;
  readonly retainedBytes: number;
  readonly retainedShare: Interval;
}

/** Retention in words, for evidence and reports. */

/** `all 129,405 objects ever allocated: 14 MiB (28 of 28 samples, at least 93 %)` */
export function keptPhrase(retention: Retention): string {
  const { samples, liveSamples, allocatedObjects, liveObjects, liveBytes, allocatedBytes } = retention;
  const [low, , high] = retention.retainedShare;
  const where = `ever allocated${sitesPhrase(retention)}`;
  const counted = `${formatCount(liveSamples)} of ${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'}`;
  if (liveSamples >= samples) {
    const things = `all ${formatCount(allocatedObjects)} objects ${where}: ${formatBytes(liveBytes)}`;
    return `${things} (${counted}, at least ${percent(low, Math.floor)})`;
  }
  const range = `${percent(low, Math.floor)} to ${percent(high, Math.ceil)}`;
  const things = `${formatCount(liveObjects)} of ${formatCount(allocatedObjects)} objects ${where}`;
  return `${things}: ${formatBytes(liveBytes)} of ${formatBytes(allocatedBytes)} (${counted}, ${range})`;
}

/** ` at 2 of its 9 sites`; '' for all of them. */
function sitesPhrase({ sites, keptSites }: Retention): string {
  return keptSites === 0 || keptSites === sites
    ? ''
    : ` at ${formatCount(keptSites)} of its ${formatCount(sites)} sites`;
}

const SINCE: Readonly<Record<AgeSource, string>> = {
  metrics: 'its start (process_start_time_seconds)',
  manifest: "its start (the capture's manifest)",
  memstats: 'its first garbage collection (MemStats)',
};

/** `33.5 MiB/h (24.1 MiB/h to 45.9 MiB/h) in the 34m since its start (process_start_time_seconds)`; '' without an age. */
export function keptRatePhrase({ perHour, ageSeconds, ageFrom }: Retention): string {
  if (perHour === null || ageSeconds === null || ageFrom === null) return '';
  return `${ratePhrase(perHour)} in the ${formatAge(ageSeconds)} since ${SINCE[ageFrom]}`;
}

function ratePhrase([low, middle, high]: Interval): string {
  const [from, to] = [formatBytes(low), formatBytes(high)];
  return from === to
    ? `${hourly(formatBytes(middle))}`
    : `${hourly(formatBytes(middle))} (${hourly(from)} to ${hourly(to)})`;
}

/** What was allocated between two profiles, and how much of it was kept; '' if there is one profile, or nothing was. */
export function keptSincePhrase({ since }: Retention): string {
  if (since === null) return '';
  const { seconds, retainedBytes, allocatedBytes, samples, retainedShare } = since;
  const span = seconds === null ? 'between the first profile and the last' : `in ${formatAge(seconds)}`;
  const amounts = `${formatBytes(retainedBytes)} of ${formatBytes(allocatedBytes)} newly allocated ${span}`;
  return `${amounts} (${formatCount(samples)} samples, at least ${percent(retainedShare[0], Math.floor)})`;
}

function percent(share: number, round: (value: number) => number): string {
  return `${formatPercent(round(100 * share))}`;
}
