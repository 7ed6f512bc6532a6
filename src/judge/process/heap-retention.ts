/**
 * What the last heap profile of a process tells of retention, by family, and of known leaks over all their families.
 *
 *     kubernetes#139823   propagateCancel 28 of 28   withCancel 13 of 13   Done 10 of 10   together 51 of 51
 */
import { keptSites, retentionOf, sumOf } from './retention-of.ts';
import { shareInterval } from '../growth/share-interval.ts';
import { matchFamily } from '../../knowledge/match.ts';
import { formatCount } from '../../base/say.ts';
import { ageAt, type ProcessEvidence, type TableAt } from '../../evidence/snapshots/process-evidence.ts';
import type { FamilyCount, HeapSite, HeapAmount } from '../../profile/families/family.ts';
import type { Match } from '../../knowledge/known-leak-match.ts';
import type { Interval, Retention, NewRetention } from './retention.ts';
import type { DiagnoseOptions } from './family-evidence.ts';

/** A known leak that this version has, and what the sites of its stacks keep in all families together. */
export interface KeptLeak {
  readonly match: Match;
  readonly samples: number;
  readonly liveSamples: number;
  readonly retainedShare: Interval;
}

export interface FamilyRetention {
  readonly retention: Retention;
  /** Known leaks whose stack its kept sites have, where a fixed version keeps none of it. */
  readonly known: readonly KeptLeak[];
}

/** So many samples a verdict from one profile needs. */
export const MIN_KEPT_SAMPLES = 10;

/** By the family's id; families whose profile does not tell what was allocated are not in it. */
export function retentionById(
  evidence: ProcessEvidence,
  options: DiagnoseOptions,
): ReadonlyMap<string, FamilyRetention> {
  const last = evidence.heap.at(-1);
  if (last === undefined) return new Map();
  const first = evidence.heap.length > 1 ? evidence.heap[0] : undefined;
  const before = new Map(first?.table.counts.map(count => [count.family.id, count]));
  const age = ageAt(evidence, last);
  const pools = new Map<string, KeptPool>();
  const families = last.table.counts.map(count => {
    const keeping = keptSites(count.sites);
    return { count, keeping, own: poolsOf(keeping, pools, options) };
  });
  return new Map(
    families.flatMap(({ count, keeping, own }): [string, FamilyRetention][] => {
      const retention = retentionOf(count, age);
      if (retention === undefined) return [];
      const since = first === undefined ? null : sinceFirst(before.get(count.family.id), count, keeping, first, last);
      const known = Array.from(own, ([pool, frames]) => pool.leak(frames, options));
      return [[count.family.id, { retention: { ...retention, since }, known }]];
    }),
  );
}

class KeptPool {
  private readonly id: string;
  private samples = 0;
  private liveSamples = 0;

  constructor(id: string) {
    this.id = id;
  }

  add({ live, allocated }: HeapSite): void {
    this.samples += allocated.samples;
    this.liveSamples += live.samples;
  }

  /** As a site with these frames shows it. */
  leak(frames: readonly string[], options: DiagnoseOptions): KeptLeak {
    const [samples, liveSamples] = [Math.round(this.samples), Math.round(this.liveSamples)];
    const keeps = `${formatCount(liveSamples)} of ${formatCount(samples)} sampled objects in all its stacks`;
    const match = matchesOfSite(frames, keeps, options).find(({ id }) => id === this.id) as Match;
    return { match, samples, liveSamples, retainedShare: shareInterval(this.liveSamples, this.samples) };
  }
}

/** Of leaks that this version has and whose fix frees what the site keeps. */
function matchesOfSite(frames: readonly string[], keeps: string, { facts, catalogue }: DiagnoseOptions): Match[] {
  const stack = { kind: 'heap', frames, creators: [], states: [], grows: undefined, keeps } as const;
  return matchFamily(stack, facts, catalogue).filter(
    ({ affected, fixedKeeps }) => affected === 'affected' && fixedKeeps === 'none',
  );
}

/** Adds each site to the known leaks that its own stack is of; returns those leaks, with the frames of one site. */
function poolsOf(
  sites: readonly HeapSite[],
  pools: Map<string, KeptPool>,
  options: DiagnoseOptions,
): Map<KeptPool, readonly string[]> {
  const own = new Map<KeptPool, readonly string[]>();
  for (const site of sites) {
    for (const { id } of matchesOfSite(site.frames, '', options)) {
      let pool = pools.get(id);
      if (pool === undefined) pools.set(id, (pool = new KeptPool(id)));
      pool.add(site);
      if (!own.has(pool)) own.set(pool, site.frames);
    }
  }
  return own;
}

function sinceFirst(
  before: FamilyCount | undefined,
  { sites }: FamilyCount,
  keeping: readonly HeapSite[],
  first: TableAt,
  last: TableAt,
): Retention['since'] {
  const seconds =
    first.atSeconds === undefined || last.atSeconds === undefined ? undefined : last.atSeconds - first.atSeconds;
  return newRetention(before?.sites ?? [], keeping.length > 0 ? keeping : sites, seconds) ?? null;
}

/**
 * Two profiles of one process: how much was allocated between them, and how much of that was kept. Both are differences
 * of counters since the start, so earlier allocations do not affect them.
 *
 * `sites` are those of the last profile; undefined if nothing new was allocated at them.
 */
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
