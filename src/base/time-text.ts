/**
 * Times as every report prints them: RFC 3339 in UTC, from Unix seconds.
 *
 *     timeText        2026-11-15T20:00:43Z        the second it was in, as in the log or scrape it came from
 *     exactTimeText   2026-11-15T20:00:43.871Z
 *     toMinute        2026-11-15T20:00Z           either of them, shortened for a sentence or a table
 */

/** The calendar of `Date` ends here, in both directions. */
const CALENDAR_END_SECONDS = 8.64e12;

/** A time outside the calendar comes from a broken clock. */
export function isInCalendar(seconds: number): boolean {
  return Math.abs(seconds) <= CALENDAR_END_SECONDS;
}

const YEAR_10000_SECONDS = 253_402_300_800;

/** For users, if some are not. */
export const NO_SAMPLE_TIME = 'samples before 1970 or after the year 9999 are left out';

/** Between 1970 and 9999, as every sample is whose clock can be trusted. */
export function isSampleTime(seconds: number): boolean {
  return seconds >= 0 && seconds < YEAR_10000_SECONDS;
}

export function timeText(seconds: number): string {
  return exactTimeText(seconds).replace(/\.\d+Z$/, 'Z');
}

/** With milliseconds. What is not in the calendar is printed as a number. */
export function exactTimeText(seconds: number): string {
  // Sums of seconds can miss a whole number by a rounding error: 59.9999999 is the next minute.
  return isInCalendar(seconds) ? new Date(Math.round(seconds * 1000)).toISOString() : `${seconds} s`;
}

export function toMinute(time: string): string {
  return time.replace(/:\d\d(?:\.\d+)?Z$/, 'Z');
}
