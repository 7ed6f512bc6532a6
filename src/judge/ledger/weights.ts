/**
 * The weight of each kind of observation, in log odds. Calibrated on the simulator, the lab and the captures;
 * docs/detection.md has a table of how often a verdict of each certainty was right.
 *
 * The scale: with a prior of -3, evidence of +8 alone proves a leak, +3.5 alone makes it worth watching, and two
 * independent observations of +4 prove it together.
 */

/** One in twenty families or resources that stand out enough to be weighed leaks. */
export const PRIOR = -3;

/** 99 to 1. */
export const LEAK_AT = 4.6;
/** Even odds. */
export const WATCH_AT = 0;
/** 1 to 99. */
export const HEALTHY_AT = -4.6;

export const WEIGHTS = {
  /** The runtime's own proof: nothing can ever wake these goroutines. */
  runtimeLeak: 12,
  /** A family that rose in at least two intervals and never fell, or by a steady amount per operation. */
  growthProved: 8,
  /** A family that rose beyond chance, between two snapshots or with falls in between. */
  growthSeen: 3.5,
  /** A rise within its sampling error. */
  growthHinted: 1,
  /** A metric that the detector proves to rise: strong for its speed, steady to the end, not with the pods. */
  trendProved: 8,
  /** A metric that rises for minutes to hours, not with the pods. */
  trendRising: 3.5,
  /** A rise that chance may still explain. */
  trendHinted: 1,
  /** A metric that does not rise over a long enough time. */
  trendFlat: -4,
  /** It fell below four fifths of its first value. */
  cameBack: -4,
  /** The stack of a known leak, in a version that has it. */
  knownLeak: 3.2,
  /** All that was ever allocated at the stack of a known leak is there, where a fixed version frees it. */
  retainedKnown: 6,
  /** The same, on few samples. */
  retainedHinted: 1.5,
  /** A large family keeps all it ever allocated: a leak, or a store that nobody knows as one. */
  retained: 3.5,
  /** It still does, at its usual pace, in a process that is no longer warming up. */
  retainedOn: 4.5,
  /** Healthy peers have as much of it. */
  peersHaveIt: -4.5,
  /** One family of a bug that this version has holds much of it. */
  largeShare: 0.5,
  /** One snapshot: a large part of ten thousand goroutines or more waits in one place for other goroutines. */
  manyGoroutines: 3.2,
  /** One dump: goroutines have waited for a lock for minutes. */
  stuckLock: 3.5,
  /** One dump: goroutines arrive at a steady rate for ten minutes or more, none leaves, only a goroutine can wake them. */
  agesProved: 8,
  /** The same, where clients, a young process, a timeout or few goroutines would explain it. */
  agesSeen: 3.5,
  /** Two dumps: of those that arrive at a steady rate, nearly all of the first are still in the same wait. */
  survivors: 4.2,
  /** Two dumps: as many as now were in the first, and hardly any of them is left. */
  allLeft: -4,
  /** It grows with a cohort that is proved to leak: the version or setting it shares with the others is at fault. */
  cohortLeaks: 8,
  /** It grows with a cohort that may leak, or shares the value of one that does and was not observed long enough. */
  cohortGrows: 3.5,
  /** It has the value that others leak with, and does not grow. */
  cohortLacks: -1.5,
} as const;
