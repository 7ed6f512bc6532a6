/**
 * How strong a rise must be on the fast scale. Fixed on tuning seeds of the fast simulator; docs/detection-figures.md has
 * what they gave on others.
 */
export const FAST = {
  /**
   * A rise is proved when it has gone on for so many minutes, and so many times as long as it needs to double the level
   * that it began at. Windows of hours need more doublings: caches fill within hours, and add up to 1.5 times the level.
   */
  proofMinutes: 18,
  proofDoublings: [
    { belowMinutes: 70, doublings: 1.35 },
    { belowMinutes: 240, doublings: 1.5 },
    { belowMinutes: 1e9, doublings: 1.7 },
  ],
  watchMinutes: 5,
  watchDoublings: 0.8,
  /** No window is shorter. */
  leastMinutes: 6,
  /** What a leak looks like within its window; see straight-rise.ts. */
  straight: {
    /** It rises at its end at least this share as fast as at its beginning, and at most so many times as fast. */
    steadiness: 0.65,
    mostSteadiness: 2.8,
    straightness: 0.984,
    leastStep: 0.13,
    lastStep: 0.39,
    mostStep: 2,
    largestJump: 0.35,
  },
  /** A rise beyond all bursts may come in lumps: so many times the level, and so many goroutines. */
  hugeTimes: 5.1,
  hugeCount: 1000,
  huge: {
    steadiness: 0.4,
    mostSteadiness: 1e9,
    straightness: 0.86,
    leastStep: 0,
    lastStep: 0.4,
    mostStep: 4,
    largestJump: 0.76,
  },
  watchSteadiness: 0.4,
  /** Sessions with a kubelet that arrive within this time may add so many goroutines. */
  burstMinutes: 120,
  burstCount: 550,
  /** The clients of another daemon may multiply its goroutines so within this time. */
  clientMinutes: 65,
  clientTimes: 3.2,
  clientCount: 100,
  /** No smaller rise is proved in hours. */
  leastCount: 180,
  /** The level exceeds everything this target had before by this factor. */
  aboveRecord: 1.55,
  /** Where less than this was seen before a rise of hours, it must be stronger: caches of a young process fill. */
  knownHours: 1,
  youngSteadiness: 0.69,
  youngMinutes: 120,
  youngFactor: 1.3,
  /** A rise that reaches the limit within this is worth a watch whatever it is. */
  limitHours: 6,
  /** It is looked at again after this. */
  againMinutes: 5,
  /** A leak stays one for this long after it was last proved, while the level stays up. */
  holdHours: 12,
  /** The share of a rise that may go away before it is no leak any more. */
  goneShare: 0.5,
} as const;
