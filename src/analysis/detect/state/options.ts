/** What a caller may set. All hours below are the detector's own; `timeScale` shortens them together. */
import type { Resource } from '../../../model/resource.ts';
export interface DetectorOptions {
  /**
   * For recordings of something accelerated, where a leak of days happens in minutes: every hour of the detector lasts
   * 1/timeScale hours. 1 for anything that runs at its usual pace.
   */
  readonly timeScale?: number;
  /** What the process may use before it is killed, when no metric of its own says it. */
  readonly memoryLimitBytes?: number | ((target: string) => number | undefined);
  /**
   * Growth over a window that matters, in bytes or a count, instead of the rule of thumb (6 MiB or 5 % for the live
   * heap, 20 or 3 % for goroutines ...). For small processes, or recordings too short for a slow leak to add up.
   */
  readonly leastGrowth?: Readonly<Partial<Record<Resource, number>>>;
}

/** Fixed by evaluation on the tuning seeds (docs/detection-figures.md). */
export const TUNING = {
  /** After a start: caches fill, informers sync. */
  warmUpHours: 8,
  windowsHours: [24, 72, 168, 336],
  /** A day alone is load; it makes a watch, not a leak. */
  leastLeakWindowHours: 72,
  /** Hours averaged to one point, per window: what a slope over days needs. */
  stepHours: [1, 2, 4, 8],
  /** Of a window that must be there. */
  leastFilled: 0.55,
  /** A verdict must hold now and this long ago. */
  persistHours: 6,
  /** A leak verdict stays this long after it was last earned. */
  quietHours: 48,
  /** A rise younger than this may still be a step or a cache that fills. */
  leastAgeHours: 60,
  /** Younger rises are told as leaks only when the limit is this near. */
  urgentHours: 72,
  /** ... and the rise is surer than a leak must be by this deviate. */
  urgentZ: 1,
  /** Without samples for longer, nothing is known. */
  silentHours: 24,
  /** A rise goes on when a late day adds at least this share of what an early day added... */
  steadiness: 0.75,
  /** ... more of a young rise, which may be the beginning of a plateau ... */
  youngSteadiness: 0.1,
  settledAgeHours: 100,
  /** ... the second halves of several lives at least this share of the first halves ... */
  lifeSteadiness: 0.75,
  doubtAgeHours: 120,
  doubt: 0.3,
  mostDoubt: 0.6,
  /** ... the late days at least this share of the window's slope ... */
  lateShare: 0.6,
  /** ... and the last day at least this share of the whole window's slope. */
  endShare: 0.35,
  watch: { falseDiscovery: 0.05, leastZ: 2.6 },
  leak: { falseDiscovery: 0.01, leastZ: 3 },
} as const;
