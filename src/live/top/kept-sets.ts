/**
 * The samples that a verdict is made from: the first, the last, and some between them that are about equally far apart.
 *
 *     0 s      60 s     120 s    180 s   200 s   205 s
 *     first                               ...    last
 */
import type { ReadSnapshot } from '../../evidence/snapshots/read-member.ts';

export interface KeptSet {
  readonly atSeconds: number;
  readonly read: readonly ReadSnapshot[];
}

const MOST_SETS = 12;

export function withSet(sets: readonly KeptSet[], set: KeptSet): KeptSet[] {
  const all = [...sets, set];
  return all.length <= MOST_SETS ? all : all.filter((_, i) => i !== leastMissed(all));
}

/** The one whose neighbours are closest together; never the first or the last. */
function leastMissed(sets: readonly KeptSet[]): number {
  let best = 1;
  let closest = Infinity;
  sets.forEach((_, i) => {
    const [before, after] = [sets[i - 1], sets[i + 1]];
    if (before === undefined || after === undefined) return;
    const gap = after.atSeconds - before.atSeconds;
    if (gap < closest) [best, closest] = [i, gap];
  });
  return best;
}
