/** When a resource reaches its limit, as an interval. */
import type { Interval } from '../../model/detection.ts';
import { mixtureSlope, modelWeights, wanderTrend } from '../trend/wander-trend.ts';
import { type Effects, ownEffects, removeEffects, shrinkEffects } from './confounders.ts';
import { layHours, newHours } from './hours.ts';
import type { WindowJudgement } from './judge.ts';
import { type DetectorOptions, TUNING } from './options.ts';
import { memoryLimitOf, type ResourceState, type TargetState } from './target-state.ts';
import { clipOutliers, layWindow, newWindow } from './window.ts';

/** Go stops a process at this many threads unless it is told otherwise. */
const THREAD_LIMIT = 10_000;

/** Of a normal distribution, 5 % on each side. */
const Z90 = 1.645;

/** A live heap's growth doubles in resident memory, because the collector waits for as much again. */
const RESIDENT_PER_LIVE = 2;

export interface Limit {
  readonly limit: number;
  readonly level: number;
  readonly perHour: number;
  readonly standardError: number;
}

export interface LimitInput {
  readonly target: TargetState;
  readonly resource: ResourceState;
  readonly window: WindowJudgement;
  readonly level: number;
  readonly effects: Effects;
  readonly prior: Float64Array;
  readonly options: DetectorOptions;
  readonly endBin: number;
}

/** What is compared with which limit, in hours of the detector; undefined when no limit is known. */
export function limitOf(input: LimitInput): Limit | undefined {
  const { target, resource, window, level, options } = input;
  const own = { level, perHour: window.slope.perHour, standardError: window.slope.standardError };
  switch (resource.rule.resource) {
    case 'threads':
      return { limit: THREAD_LIMIT, ...own };
    case 'file descriptors':
      return Number.isNaN(target.fileLimit) ? undefined : { limit: target.fileLimit, ...own };
    case 'live heap': {
      const limit = memoryLimitOf(target, options);
      if (Number.isNaN(limit)) return undefined;
      if (/resident|working_set/.test(resource.metric)) return { limit, ...own };
      return { limit, ...(residentTrend(input) ?? scaled(own)) };
    }
    case 'stacks':
    case 'goroutines':
    case 'metric series':
      return undefined;
  }
}

function scaled(own: { level: number; perHour: number; standardError: number }): Omit<Limit, 'limit'> {
  const factor = RESIDENT_PER_LIVE;
  return { level: own.level * factor, perHour: own.perHour * factor, standardError: own.standardError * factor };
}

const hours = newHours();
const points = newWindow();

/** The limit is on resident memory, so its own slope over the same window counts. */
function residentTrend(input: LimitInput): Omit<Limit, 'limit'> | undefined {
  const { target, window, effects, prior, endBin } = input;
  if (target.resident === undefined) return undefined;
  layHours(hours, target, target.resident, endBin);
  const double = (mean: number, variance: number): { mean: number; variance: number } => ({
    mean: RESIDENT_PER_LIVE * mean,
    variance: 4 * RESIDENT_PER_LIVE ** 2 * variance + (RESIDENT_PER_LIVE * mean) ** 2 / 4,
  });
  const fleet = {
    pod: double(effects.pod, effects.podVariance),
    churn: double(effects.churn, effects.churnVariance),
  };
  removeEffects(hours, shrinkEffects(ownEffects(hours), fleet));
  clipOutliers(hours);
  const step = TUNING.stepHours[TUNING.windowsHours.findIndex(one => one === window.windowHours)];
  layWindow(points, hours, hours.count, window.windowHours, step);
  const trend = wanderTrend(points, window.windowHours >= 72);
  if (trend === undefined) return undefined;
  const slope = mixtureSlope(trend, modelWeights(trend, prior), 0);
  // The end of the fitted line: the last points alone are noise.
  let level = 0;
  const tail = Math.min(6, points.count);
  for (let i = points.count - tail; i < points.count; i++) {
    level += (points.values[i] + slope.perHour * (endBin - points.hours[i])) / tail;
  }
  return { level, perHour: slope.perHour, standardError: slope.standardError };
}

/** In the detector's hours, 90 %. */
export function hoursToLimit(limit: Limit): Interval | undefined {
  const room = limit.limit - limit.level;
  if (room <= 0) return [0, 0];
  if (limit.perHour <= 0) return undefined;
  const best = room / limit.perHour;
  const error = limit.standardError / limit.perHour;
  const low = best / (1 + Z90 * error);
  return [low, Z90 * error < 0.95 ? best / (1 - Z90 * error) : Infinity];
}
