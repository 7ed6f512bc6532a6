/** Settings of the detector. All hours below are the detector's own; `timeScale` shortens them together. */
import type { Resource } from '../../evidence/resource.ts';
import type { ResourceRule } from '../../evidence/resource-rules.ts';

export interface DetectorOptions {
  /**
   * For accelerated recordings, where a leak of days happens in minutes: every hour of the detector lasts 1/timeScale
   * hours. 1 for anything that runs at its usual pace.
   */
  readonly timeScale?: number;
  /** How much the process may use before it is killed, if none of its metrics shows it. */
  readonly memoryLimitBytes?: number | ((target: string) => number | undefined);
  /**
   * Growth over a window that matters, in bytes or a count, instead of the default (6 MiB or 5 % for the live heap, 20
   * or 3 % for goroutines ...). For small processes, or recordings too short for a slow leak to add up.
   */
  readonly leastGrowth?: Readonly<Partial<Record<Resource, number>>>;
}

/** Fixed by evaluation on the tuning seeds (docs/detection-figures.md). */
export const TUNING = {
  /** After a start, while caches fill and informers sync. */
  warmUpHours: 8,
  windowsHours: [24, 72, 168, 336],
  /** A single day may be load: it is enough for a watch, not for a leak. */
  leastLeakWindowHours: 72,
  /** Hours averaged into one point, per window; a slope over days needs no more detail. */
  stepHours: [1, 2, 4, 8],
  /** The share of a window that must have samples. */
  leastFilled: 0.55,
  /** A verdict must hold now, and must have held this long ago. */
  persistHours: 6,
  /** A leak verdict stays this long after it was last earned. */
  quietHours: 48,
  /** A rise younger than this may still be a step or a cache that fills. */
  leastAgeHours: 60,
  /** Younger rises are reported as leaks only if the limit is this near... */
  urgentHours: 72,
  /** ... and the rise is this many more standard deviations certain than a leak must be. */
  urgentZ: 1,
  /** After this long without samples, the target is unknown. */
  silentHours: 24,
  /** A rise continues if a late day adds at least this share of what an early day added... */
  steadiness: 0.8,
  /** ... more for a young rise, which may be the beginning of a plateau ... */
  youngSteadiness: 0.2,
  settledAgeHours: 100,
  /** ... if the second halves of several lives add at least this share of the first halves ... */
  lifeSteadiness: 0.75,
  doubtAgeHours: 120,
  doubt: 0.3,
  mostDoubt: 0.4,
  /** ... if the late days have at least this share of the window's slope ... */
  lateShare: 0.6,
  /** ... and the last day at least this share of the whole window's slope. */
  endShare: 0.35,
  watch: { falseDiscovery: 0.05, leastZ: 2.6 },
  leak: { falseDiscovery: 0.01, leastZ: 3 },
} as const;

/** How much one more pod, and one more pod start per hour, add to a resource. */

/** Two effects with their covariance. */
export interface Effects {
  readonly pod: number;
  readonly churn: number;
  readonly podVariance: number;
  readonly churnVariance: number;
  readonly covariance: number;
}

/** Before anything is learned. */
export function usualEffects({ perPod, perPodSpread }: ResourceRule): Effects {
  return { pod: perPod, churn: 0, podVariance: perPodSpread ** 2, churnVariance: perPodSpread ** 2, covariance: 0 };
}
