/** One resource of one target as it is judged, and what is found of a rise. */
import type { Interval } from '../detection.ts';
import type { Slope } from '../../growth/wander-trend.ts';
import type { Explained, Judgement, WindowJudgement } from './judge.ts';
import type { Limit } from './time-to-limit.ts';
import type { Effects } from '../options.ts';

export interface JudgedResource extends Explained {
  readonly own: Effects | undefined;
  judgement: Judgement;
  /** How common each noise model is in the fleet. */
  prior: Float64Array;
}

/** What is told of something that rises. All hours are the detector's. */
export interface Rise {
  readonly window: WindowJudgement;
  /** Since it began. */
  readonly slope: Slope;
  readonly lastHours: number;
  readonly limit: Limit | undefined;
  readonly hoursToLimit: Interval | undefined;
}
