/**
 * How strong a rise must be on the fast scale. Fixed on tuning seeds of the fast simulator; docs/detection-figures.md has
 * what they gave on others.
 *
 * A rise is proved when it has gone on for `proofMinutes` and `proofDoublings` times as long as it needs to double the
 * level that it began at: fast leaks within minutes, slow ones within hours, and nothing that adds less than it found.
 */
export const FAST = {
  proofMinutes: 14,
  proofDoublings: 1.5,
  watchMinutes: 5,
  watchDoublings: 0.8,
  /** No window is shorter. */
  leastMinutes: 6,
  /** At its end it rises at least this share as fast as at its beginning, of a young or unknown process more ... */
  steadiness: 0.5,
  youngSteadiness: 0.7,
  /** ... and at most this many times as fast: what accelerates is another thing than a leak ... */
  mostSteadiness: 1.8,
  /** ... a straight line explains this share of it ... */
  straightness: 0.965,
  /** ... no stretch adds less than this share of the mean ... */
  leastStep: 0.15,
  /** ... the last one not less than this ... */
  lastStep: 0.45,
  /** ... and none more than this many times it: that would be a step. */
  mostStep: 2.8,
  /** Nor does more than this share of it come from one point to the next. */
  largestJump: 0.35,
  watchSteadiness: 0.4,
  /** Bursts that arrive within an hour or two may add this many goroutines: shorter windows need more. */
  burstMinutes: 120,
  burstCount: 550,
  /** No smaller rise is proved in hours. */
  leastCount: 180,
  /** The level exceeds everything this target had before by this factor. */
  aboveRecord: 1.25,
  /** Where less than this was seen before a rise of hours, it must be stronger: caches of a young process fill. */
  knownHours: 3,
  youngMinutes: 180,
  youngFactor: 1.35,
  /** A rise that reaches the limit within this is worth a watch whatever it is. */
  limitHours: 6,
  /** Where nothing rose, it is looked at again after this. */
  againMinutes: 5,
  /** A leak stays one for this long after it was last proved, while the level stays up. */
  holdHours: 12,
  /** Of a rise, what may go away before it is no leak any more. */
  goneShare: 0.5,
} as const;
