/** Spans of time that several rules share. */

const HOUR: number = 3600;
export const DAY_SECONDS: number = 24 * HOUR;

/** After its start, a process fills with caches, informers and returning pods. */
export const WARM_UP_SECONDS: number = 8 * HOUR;

/** How far `floor1h` looks back. */
export const FLOOR_SECONDS: number = HOUR;

/** The age at which hourly floors over the last `seconds` are all from one warm life of the process. */
export function settledAge(seconds: number): number {
  return WARM_UP_SECONDS + FLOOR_SECONDS + seconds;
}
