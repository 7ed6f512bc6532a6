/**
 * The weight of each kind of observation, in log odds of the claim that it speaks about. Fitted on recordings of
 * programs whose truth is known; docs/detection.md has the table of how often a verdict of each certainty was right on
 * others.
 *
 * The scale: +3 on a claim that starts at even odds makes it 95 % sure, which is what a leak needs of two claims.
 */

/** What a leak is made of: see ledger.ts. */
export type Claim = 'stays' | 'unbounded' | 'unwanted';

/** 95 %: what a claim needs for a leak. */
export const SURE: number = Math.log(0.95 / 0.05);
/** Even odds that it stays: worth watching. */
export const WATCH_AT = 0;
/** 2 %: nothing that stays was seen, by somebody who looked. */
export const HEALTHY_AT: number = Math.log(0.02 / 0.98);

/** Before anything is known of a family or resource that stands out enough to be weighed. */
export const PRIOR: Readonly<Record<Claim, number>> = {
  /** Most of what rises for a moment goes again. */
  stays: -1,
  /** Most of what grows in a young process fills; see `boundlessPrior`. */
  unbounded: -2.5,
  /** Few stacks are known to be waited for in vain. */
  unwanted: -4,
};

/**
 * How much the age of the process adds to the prior that growth has no bound. In the first half hour nearly everything
 * fills; what still grows after a day is rarely a fill.
 */
export function ageOdds(ageSeconds: number | undefined): number {
  if (ageSeconds === undefined || ageSeconds < 3600) return 0;
  if (ageSeconds < 2 * 3600) return 0.5;
  return ageSeconds < 24 * 3600 ? 1 : 1.5;
}

export const WEIGHTS = {
  /** The runtime's own proof: nothing can ever wake these goroutines. Stays, unwanted. */
  runtimeLeak: 12,

  // It stays.
  /** A family that rose in at least two intervals and never fell. */
  growthSteady: 2,
  /** A family that rose beyond chance, between two snapshots or with falls in between. */
  growthSeen: 1,
  /** A rise within its sampling error, or of a handful. */
  growthHinted: 0.5,
  /** A family that multiplied, in at least three intervals and ten minutes, and never fell. */
  growthLasting: 4.2,
  /** A metric that rises for minutes to hours, not with the pods. */
  trendRising: 1.5,
  /** The same, in a line so straight that little of it can have gone again. */
  trendStraight: 3.2,
  /** A rise that chance may still explain. */
  trendHinted: 0.5,
  /** A metric that does not rise over a long enough time. */
  trendFlat: -4,
  /** It fell below four fifths of its first value. */
  cameBack: -4,
  /** Nearly all goroutines of the first dump are in the last. */
  survivors: 4.2,
  /** Most goroutines of the first dump have ended. */
  left: -8,
  /** One dump: they arrive at a steady rate, and ages and ids exclude that they leave. */
  agesExcludeLeaving: 4.2,
  /** They seem to stay, but are too few or too young to exclude that they leave. */
  agesSeen: 1.5,
  /** Heap: at least four fifths of what was allocated since the first profile, or ever, is live. */
  kept: 4.2,
  /** Heap: a good part of it was freed. */
  freed: -6,
  /** A large part of ten thousand goroutines or more waits in one place for other goroutines. */
  manyGoroutines: 1.5,
  /** One family of a bug that this version has holds much of it. */
  largeShare: 1.5,

  /** The stack of a known leak that this version surely has: what it leaves behind is never freed. */
  knownToStay: 2,

  // It has no bound.
  /** It grows at the pace that it had on average since the process began, hours ago. */
  linearSinceStart: 4.6,
  /** It grows by a steady amount per operation. */
  perOperation: 6,
  /** It grows ever more slowly. */
  slowing: -1.5,
  /** Code that is known to fill up to a bound. */
  fills: -3,
  /** Something that was asked of the process rose alike. */
  demand: -2,
  /** Those that it waits for may simply be connected. */
  clients: -1,
  /** Files that are mapped, or series that stand for what it was given: the metric does not tell them from a leak. */
  mayBeKept: -1.5,
  /** The whole resource did not grow meanwhile. */
  totalFlat: -2,
  /** Healthy peers have as much of it. */
  peersHaveIt: -4.5,

  // Nothing will use it.
  /** The stack of a known leak, in a version that has it. */
  knownLeak: 7.2,
  /** It ends only by a call that was not made, again and again at a steady pace. */
  endsByCall: 7.2,
  /** The same, seen to rise only once. */
  mayEndByCall: 3,
  /** They wait for another goroutine, which no timer can replace, and it has not come for minutes. */
  neverWoken: 7.2,
  /** They have waited for a lock for minutes. */
  stuckLock: 7.2,
  /** The same, for a shorter time: a long job may hold it. */
  heldLock: 3,

  // Several claims at once.
  /** A metric that the detector proves to rise: strong for its speed, steady to the end, not with the pods. */
  trendProved: 6,
  /** All that was ever allocated at the stack of a known leak is there, where a fixed version frees it. */
  retainedKnown: 7.2,
  /** It grows with a cohort that is proved to leak: the version or setting it shares with the others is at fault. */
  cohortLeaks: 6,
  /** It grows with a cohort that may leak, or shares the value of one that does and was not observed long enough. */
  cohortGrows: 1.5,
  /** It has the value that others leak with, and does not grow. */
  cohortLacks: -1,
} as const;
