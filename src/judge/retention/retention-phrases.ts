/** Retention in words, for evidence and reports. */
import { formatAge, formatBytes, formatCount } from '../../base/say.ts';
import type { AgeSource } from '../../evidence/snapshots/process-age.ts';
import type { Interval, Retention } from './retention.ts';

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
  return from === to ? `${formatBytes(middle)}/h` : `${formatBytes(middle)}/h (${from}/h to ${to}/h)`;
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
  return `${round(100 * share)} %`;
}
