/** When a scrape was taken, if its text does not say so. */
import { fileName } from '../path-parts.ts';
import { timeInName, timeInPath } from '../time-in-path.ts';
import type { PileMember } from '../pile.ts';

/** A Go process collects garbage at least every two minutes. */
const LONGEST_BETWEEN_COLLECTIONS = 150;

export interface ScrapeTime {
  /** Unix seconds; NaN when unknown. */
  readonly seconds: number;
  /** Whether it is only the file's date, which any copy changes. */
  readonly isDate: boolean;
}

/**
 * The time in the file's name. Else, if the last garbage collection is known: the file's date if it fits, or the
 * collection. Else the time in the folders' names, or the date.
 */
export function scrapeTime(member: PileMember, lastGcSeconds: number | undefined): ScrapeTime {
  const named = timeInName(fileName(member.path));
  if (named !== undefined) return { seconds: named, isDate: false };
  // Archives made to be reproducible date everything 1970 or 1980.
  const dated = (member.mtimeSeconds ?? 0) > 1e9 ? member.mtimeSeconds : undefined;
  if (lastGcSeconds !== undefined && lastGcSeconds > 1e9) {
    const fits = dated !== undefined && dated >= lastGcSeconds && dated <= lastGcSeconds + LONGEST_BETWEEN_COLLECTIONS;
    return { seconds: fits ? dated : lastGcSeconds, isDate: false };
  }
  const inPath = timeInPath(member.path);
  return { seconds: inPath ?? dated ?? NaN, isDate: inPath === undefined };
}
