/** Fixed on the tuning seeds of `npm run bench:detect -- --cohorts`; the test seeds have never been looked at for it. */
export const COHORT_TUNING = {
  /** False discoveries among all attributes, values and resources. */
  leak: 0.005,
  watch: 0.02,
  /** Second halves must add at least this share of what first halves add... */
  steadiness: 0.75,
  /** ... with so many standard errors to spare, and a chance of at most so much by Student's distribution. */
  steadyDeviates: 2.5,
  steadyChance: 0.02,
  /** Or: of the growth, at least this share goes straight on when something that settles is taken off... */
  straightShare: 0.7,
  /** ... with so many standard errors to spare, and a chance of at most so much. */
  straightDeviates: 4,
  straightChance: 0.001,
  /** Below two days, this many times the amount that matters: what fills slowly is nearly full by then. */
  youngFactor: 2,
  youngHours: 48,
  /** A group that always had the value may differ in a hundred ways that have nothing to do with it. */
  leastOldHours: 24,
  /** The share of a cohort that must grow for its value to be blamed. */
  leastLeaking: 0.6,
  /** A member grows if its pooled slope exceeds the controls' by this share of the cohort's difference. */
  ownShare: 0.3,
  /** Controls of about the same age replace the others if there are as many as this. */
  equalAges: 10,
  /** With fewer, the difference from them must be at least this share of the whole. */
  equalShare: 0.5,
} as const;

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
