/**
 * The sampling error of a heap family's change between two profiles of one process.
 *
 * What is live in both was sampled once, and cancels out. Only samples that came or went in between add error:
 *
 *     first   64 live                            independent: 64 + 88 samples, error 12
 *     last    88 live, 24 allocated since        of one process: 24 + 0 samples, error 5
 *
 * The change of a family that turns over completely is known no better than from two independent profiles.
 */
import type { FamilyCount, HeapSite } from '../../profile/families/family.ts';

/** In bytes; never 0. */
export function deltaErrorOf(first: FamilyCount | undefined, last: FamilyCount | undefined): number {
  const [before, after] = [varianceOf(first), varianceOf(last)];
  const came = sumOf(last?.sites, 'allocated') - sumOf(first?.sites, 'allocated');
  const went = freed(last?.sites) - freed(first?.sites);
  const isTold = (last?.sites.length ?? 0) > 0 && (first === undefined || first.sites.length > 0);
  const variance = isTold ? Math.min(after, Math.max(came, 0)) + Math.min(before, Math.max(went, 0)) : before + after;
  return Math.max(Math.sqrt(variance), 1);
}

/** A family without samples is somewhere between nothing and one sample's worth. */
function varianceOf(count: FamilyCount | undefined): number {
  if (count === undefined) return 1;
  return (count.bytesError > 0 ? count.bytesError : Math.max(count.bytes, 1)) ** 2;
}

function sumOf(sites: readonly HeapSite[] = [], which: 'live' | 'allocated'): number {
  return sites.reduce((sum, { [which]: amount }) => sum + amount.variance, 0);
}

function freed(sites: readonly HeapSite[] | undefined): number {
  return sumOf(sites, 'allocated') - sumOf(sites, 'live');
}
