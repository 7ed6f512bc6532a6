/**
 * How far healthy processes rise: the most times their level that a rise of so many minutes reaches.
 *
 *     minutes    30      62   80        220        1500      2300
 *     what       sessions,    nothing   caches fill,         caches are full:
 *     rises      batch jobs   yet       a day goes up        only what is steady counts
 *
 * Between these minutes it is a straight line in the logarithms of both.
 */

/** One value for each of those minutes. */
export type EnvelopeRow = readonly [number, number, number, number, number, number];

/** Sessions and batch jobs arrive within this time; the second is for sure. */
export const BURST_MINUTES = 62;
export const AFTER_BURST_MINUTES = 80;
/** What fills slowly has come far by then, and is full. */
export const CACHE_MINUTES = 220;
export const FULL_MINUTES = 1500;
const MINUTES = [30, BURST_MINUTES, AFTER_BURST_MINUTES, CACHE_MINUTES, FULL_MINUTES, 2300];
const LOG_MINUTES = MINUTES.map(Math.log);

export function mostOf(row: EnvelopeRow, minutes: number): number {
  const at = Math.log(minutes);
  let i = 0;
  while (i < MINUTES.length - 2 && at > LOG_MINUTES[i + 1]) i++;
  const share = (at - LOG_MINUTES[i]) / (LOG_MINUTES[i + 1] - LOG_MINUTES[i]);
  return row[i] * (row[i + 1] / row[i]) ** Math.min(1, Math.max(0, share));
}
