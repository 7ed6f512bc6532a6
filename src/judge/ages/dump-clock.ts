/**
 * What all families of a dump show together: a lower bound of the process's age, and the time between collections.
 *
 * A wait starts at the time of the last collection before it, so ages cluster if collections are rare:
 *
 *     a collection each   10 s   ages 0 1 2 3 4 5 6 7 8 9
 *                        120 s   ages 0   2   4   6   8
 */
import type { FamilyTable } from '../../profile/families/family.ts';

export interface DumpClock {
  /** The oldest wait: the process is at least this old. */
  readonly oldestMinutes: number;
  /** The time between collections, which ages may be too high by. At least 1: minutes do not show less. */
  readonly collectionMinutes: number;
}

/** The runtime forces a collection this often, unless GOGC is off. */
const FORCED_MINUTES = 2;
const MIN_CLUSTERS = 5;
const DENSE_CLUSTER = 5;
/** The ages of long-lived processes are spread too thinly to tell. */
const LOOKS_BACK_MINUTES = 600;

export function dumpClock({ counts }: FamilyTable): DumpClock {
  let oldestMinutes = 0;
  const byMinute = new Float64Array(LOOKS_BACK_MINUTES);
  for (const { waits } of counts) {
    if (waits === undefined) continue;
    for (const minutes of waits.minutes) {
      if (minutes > oldestMinutes) oldestMinutes = minutes;
      if (minutes < LOOKS_BACK_MINUTES) byMinute[minutes]++;
    }
  }
  return { oldestMinutes, collectionMinutes: collectionMinutes(byMinute) };
}

/** The usual distance between occupied minutes, if many goroutines are at few of them. */
function collectionMinutes(byMinute: Float64Array): number {
  const clusters = Array.from(byMinute.keys()).filter(minute => minute > 0 && byMinute[minute] > 0);
  if (clusters.length < MIN_CLUSTERS) return FORCED_MINUTES;
  const gaps = clusters.slice(1).map((minute, i) => minute - clusters[i]);
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.75)];
  const isDense = clusters.every(minute => byMinute[minute] >= DENSE_CLUSTER);
  return isDense ? usual : Math.min(usual, FORCED_MINUTES);
}
