/**
 * How far healthy processes rise: the most times their level that a rise of so many minutes reaches.
 *
 *     minutes    up to 70     90 ... 1500           from 2300 on
 *     what       batch jobs,  caches fill,          caches are full:
 *     rises      sessions     a day goes up         only what is steady counts
 *
 * Between these minutes it is a straight line in the logarithms of both.
 */
export interface Envelope {
  readonly burst: number;
  readonly hours: number;
  readonly days: number;
}

/** Sessions and batch jobs arrive within an hour, which is seen with some delay; the second is for sure. */
const BURST_MINUTES = 70;
const AFTER_BURST_MINUTES = 90;
/** What fills slowly, or goes up by day, does so within a day. */
export const FULL_MINUTES = 1500;
const DAYS_MINUTES = 2300;

export function mostOf({ burst, hours, days }: Envelope, minutes: number): number {
  if (minutes <= AFTER_BURST_MINUTES) return between(minutes, BURST_MINUTES, AFTER_BURST_MINUTES, burst, hours);
  return between(minutes, FULL_MINUTES, DAYS_MINUTES, hours, days);
}

function between(minutes: number, from: number, to: number, first: number, last: number): number {
  const share = Math.log(minutes / from) / Math.log(to / from);
  return first * (last / first) ** Math.min(1, Math.max(0, share));
}
