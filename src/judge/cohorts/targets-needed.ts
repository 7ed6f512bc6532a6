/**
 * How many targets a comparison needs to prove anything at all: below that, no number of hours helps. Every way to
 * choose as many of them is as likely by chance, and there must be enough ways.
 */
import { leastChance, rankTries } from './chance.ts';
import { CONVINCING, FEW } from './contrast.ts';

/** A chance that is left after correcting for everything that is compared, and how often. */
const SURE = 1e-6;
const MOST = 60;

export function mayProve(group: number, controls: number): boolean {
  const least = leastChance(group, controls);
  if (group < FEW || controls < FEW) return least <= SURE;
  return rankTries(group) * least <= CONVINCING;
}

/** How many more with the value and without it would do, the fewest together; undefined if there are enough. */
export function targetsMissing(
  group: number,
  controls: number,
): readonly [withIt: number, without: number] | undefined {
  if (mayProve(group, controls)) return undefined;
  for (let more = 1; more <= MOST; more++) {
    // Nearly equal sides first: they are the most telling, and the cheapest to get.
    const ways = Array.from({ length: more + 1 }, (_, withIt) => withIt).sort(
      (a, b) => Math.abs(group + a - controls - (more - a)) - Math.abs(group + b - controls - (more - b)),
    );
    const enough = ways.find(withIt => mayProve(group + withIt, controls + more - withIt));
    if (enough !== undefined) return [enough, more - enough];
  }
  return [MOST, MOST];
}
