/** When a scrape was taken whose text does not say so. */
import { timeInName, timeInPath } from '../path/time-in-path.ts';
import type { PileMember } from '../../model/pile.ts';

/** A Go process collects garbage every two minutes at least. */
const LONGEST_BETWEEN_COLLECTIONS = 150;

export interface ScrapeTime {
  /** Unix seconds; NaN when nothing tells. */
  readonly seconds: number;
  /** Only the file's date says so, which any copy changes. */
  readonly isDate: boolean;
}

/**
 * What the file's name says; else its date, if that lies where a scrape with this last garbage collection can; else that
 * collection; without one, what the folders say, and the date.
 */
export function scrapeTime(member: PileMember, lastGcSeconds: number | undefined): ScrapeTime {
  const named = timeInName(member.path.slice(member.path.lastIndexOf('/') + 1));
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
