/** The windows over which slopes are compared, and what they skip. All in hours of the detector. */

/**
 * A cohort of any age finds a window that takes in at least four fifths of its time. All of them end now, so that
 * cohort and controls share every season and every incident of the fleet.
 */
export const WINDOW_HOURS: readonly number[] = [
  4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 72, 96, 120, 168, 240, 336,
];

/** The hour of a restart or change, and the next: start-up says nothing about growth. */
export const SKIP_HOURS = 2;

/** A window may begin this share of its length before a target's own hours do. */
export const SLACK = 0.15;

/** The share of a window's hours that a target must have. */
export const MIN_FILLED = 0.65;
