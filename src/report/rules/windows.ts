/** Spans of time that several rules must agree on. */

const HOUR: number = 3600;
export const DAY_SECONDS: number = 24 * HOUR;

/** Caches, informers and pods that come back fill a process after its start. */
export const WARM_UP_SECONDS: number = 8 * HOUR;

/** `floor1h` looks back so far. */
export const FLOOR_SECONDS: number = HOUR;

/** The age from which all of a look back over `seconds` of hourly floors lies in one life of the process, warm. */
export function settledAge(seconds: number): number {
  return WARM_UP_SECONDS + FLOOR_SECONDS + seconds;
}
