/**
 * Two profiles of one process: how much was allocated between them, and how much of that was kept. Both are differences
 * of counters since the start, so earlier allocations do not affect them.
 */
import type { HeapAmount, HeapSite } from '../../profile/families/family.ts';
import type { NewRetention } from './retention.ts';
import { shareInterval } from './share-interval.ts';
import { sumOf } from './retention-of.ts';

/** `sites` are those of the last profile; undefined if nothing new was allocated at them. */
export function newRetention(
  before: readonly HeapSite[],
  sites: readonly HeapSite[],
  seconds: number | undefined,
): NewRetention | undefined {
  const earlier = new Map(before.map(site => [keyOf(site), site]));
  const same = sites.flatMap(site => earlier.get(keyOf(site)) ?? []);
  const allocated = difference(sumOf(sites, 'allocated'), sumOf(same, 'allocated'));
  const live = difference(sumOf(sites, 'live'), sumOf(same, 'live'));
  if (allocated.samples < 0.5) return undefined;
  return {
    seconds: seconds ?? null,
    samples: Math.round(allocated.samples),
    allocatedBytes: allocated.bytes,
    retainedBytes: live.bytes,
    retainedShare: shareInterval(live.samples, allocated.samples),
  };
}

function keyOf({ frames }: HeapSite): string {
  return frames.join('\n');
}

function difference(a: HeapAmount, b: HeapAmount): Pick<HeapAmount, 'bytes' | 'samples'> {
  return { bytes: a.bytes - b.bytes, samples: a.samples - b.samples };
}
