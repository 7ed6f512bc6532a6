/**
 * How strong a rise must be on the fast scale. `times` is the level at the end of a rise over that at its beginning.
 *
 * A leak reaches three times its level in two doubling times, which is when it should be proved. The numbers below stand
 * between that and what healthy processes do; docs/detection-figures.md has what they gave on seeds nobody had seen.
 */
export const FAST = {
  /** No rise is proved sooner, and none that is smaller. */
  proofMinutes: 18,
  leastTimes: 1.8,
  /** What healthy processes reach at most, as times their level; envelope.ts says after how many minutes. */
  envelope: {
    /** Batch jobs add twice the level; caches one and a half times it. Neither goes on for a day and a half. */
    settled: { burst: 3.4, hours: 2.8, days: 1.8 },
    /** Clients add three times the level within an hour: file descriptors, or goroutines and heap, rise together. */
    clients: 4.6,
    /** Goroutines and heap both rise for hours: then it may be the day, which adds 1.8 times the level. */
    bothHours: 3.1,
    /** Over what its lives before had: it warms up to that, and bursts come on top. */
    restarted: { burst: 2.8, hours: 2.3, days: 2.3 },
    /** Over a level that is only guessed at. A young heap loads and fills caches; goroutines only load. */
    youngHeap: { burst: 2.8, hours: 3.5, days: 3.5 },
    youngGoroutines: { burst: 2.8, hours: 2.75, days: 2.75 },
    youngClients: 5,
  },
  /** Connections show in the file descriptors: this many for a goroutine. */
  descriptorShare: 0.15,
  /** The other resource rises by this share as much. */
  togetherShare: 0.3,
  /** The level may be reckoned as so many times what it is above everything this target had before. */
  aboveRecord: 1.39,
  /** A window may begin before its rise, and a rise before its window. */
  mostOfWindow: 1.2,
  /** No smaller rise of goroutines is proved in hours: calls, sessions and workers of a small process. */
  leastCount: 70,
  /** A process that was younger than this when a rise began may warm up ... */
  settledHours: 6,
  /** ... unless it was seen to have settled: no higher than this many times what it was at a quarter of its age. */
  flat: { leastMinutes: 60, times: 1.05 },
  /** Its lives before were seen for so many hours: their level counts. */
  ownHours: 1,
  /** Where no peer shows the level of a young process, its first one may be so many times lower. */
  youngAlone: 1.6,
  /** A young process has at least this share of what its peers have, once its start is over. */
  youngShare: 0.3,
  /** What each flaw of the shape takes off, in logarithms of times. */
  doubt: {
    slows: { below: 0.9, weight: 0.2 },
    /** Several bursts, one after the other; it is infinite if nothing rose at first. */
    quickens: { above: 2, weight: 0.1, most: 5 },
    bends: { below: 0.98, weight: 4 },
    ends: { below: 0.85, weight: 0.5 },
    falls: { above: 0.05, weight: 1.5 },
  },
  steady: { straightness: 0.96, steadiness: 0.6, mostSteadiness: 3 },
  /** How far ahead it is said when a rise would be proved. */
  mostMinutesToProof: 6000,
  watchMinutes: 5,
  watchDoublings: 0.7,
  watchSteadiness: 0.4,
  /** No window is shorter. */
  leastMinutes: 6,
  /** A rise that reaches the limit within this is worth a watch whatever it is. */
  limitHours: 6,
  /** It is looked at again after this. */
  againMinutes: 5,
  /** A leak stays one for this long after it was last proved, while the level stays up. */
  holdHours: 12,
  /** The share of a rise that may go away before it is no leak any more. */
  goneShare: 0.5,
} as const;
