/**
 * How strong a rise must be on the fast scale. Fitted on tuning seeds of the fast simulator; docs/detection-figures.md
 * has what it gave on others. `times` is the level at the end of a rise over that at its beginning.
 */
import type { EnvelopeRow as Row } from './envelope.ts';

export const FAST = {
  /** No rise is proved sooner, and none that is smaller. */
  proofMinutes: 18,
  leastTimes: 1.8,
  /** What healthy processes reach at most, as times their level; envelope.ts says after how many minutes. */
  envelope: {
    /** Batch jobs triple a heap within an hour; caches add one and a half times the level in up to a day. */
    heap: [3.45, 3.7, 2.45, 2.52, 2.62, 1.45] as Row,
    goroutines: [3.35, 3.45, 2.67, 2.2, 2.6, 1.73] as Row,
    /** Both rise: sessions bring their memory with them, and then it may be the day. */
    heapTogether: [4.4, 4.4, 3.25, 3.1, 3.25, 2] as Row,
    goroutinesTogether: [4.9, 4.1, 3.2, 3.25, 3, 1.75] as Row,
    /** File descriptors rise too: clients. */
    clients: [4.6, 4.3, 2.67, 2.2, 2.6, 1.73] as Row,
    /** Nothing is known of the process but its first hours. */
    newHeap: [3.1, 2.54, 2.64, 3.73, 2.12, 2.2] as Row,
    newGoroutines: [4.7, 3.4, 3.6, 3.3, 4.3, 2.3] as Row,
    newKubelet: [3.65, 2.55, 3.15, 4, 3.15, 2.35] as Row,
    /** Over the level that the line through the rise had at the birth of the process. */
    sinceBirth: [2.67, 3.05, 2.7, 2.18, 2.24, 2.2] as Row,
  },
  /** Connections show in the file descriptors: this many for a goroutine. */
  descriptorShare: 0.15,
  /** The other resource rises by this share as much. */
  togetherShare: 0.3,
  /** A day was seen before. */
  dayHours: 24,
  /** The level may be reckoned as so many times what it is above everything this target had before. */
  aboveRecord: 1.39,
  /** A window may begin before its rise, and a rise before its window. */
  mostOfWindow: 1.2,
  /** No smaller rise of goroutines is proved in hours. */
  leastCount: 70,
  kubelet: {
    /** The same for a kubelet, and within an hour: calls that wait, and sessions. */
    leastCount: 180,
    burstCount: 550,
    sessionCount: 800,
    /** No healthy kubelet adds so much and grows so many times. */
    hugeCount: 1.75e3,
    hugeBytes: 640e6,
    hugeTimes: 2.3,
  },
  burstMinutes: 64,
  /** A process that was younger than this when a rise began may warm up; a new one loads what it needs. */
  settledHours: 6,
  newHours: 1,
  /** Its lives before were seen for so many hours: how far above their level it is counts, and less how far it rose. */
  own: { hours: 1, level: 0.808, times: 2.04 },
  /** Above the usual level of lives that began alike, and above nearly all of them; with less room if they are few. */
  kin: { level: 1, times: 1.18, aboveHigh: 1.92, aboveFew: 1.82, few: 3 },
  /** A process that has just started: in its first minutes it loads, which counts for nothing. */
  fresh: {
    loadHours: 0.08,
    loads: 1.05,
    kubeletLoads: 1.3,
    ofStart: 2.32,
    leastAtBirth: 0.05,
  },
  /** What each flaw of the shape takes off, in logarithms of times. */
  doubt: {
    slows: { from: 0.912, weight: 0.197 },
    quickens: { from: 2.2, weight: 0.0471 },
    bends: { from: 0.98, weight: 3.83 },
    lastStep: { from: 0.85, weight: 0.536 },
    leastStep: { from: 0.4, weight: 0.177 },
    mostStep: { from: 2, weight: 0.085 },
    falls: { from: 0.0452, weight: 1.51 },
    lumps: { from: 0.262, weight: 1.59 },
    pauses: { from: 0.201, weight: 0.5 },
    lastPause: { from: 0.0238, weight: 1.99 },
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
