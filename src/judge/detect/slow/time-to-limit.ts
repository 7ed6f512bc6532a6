/** When a resource reaches its limit, as an interval. */
import type { Interval, LimitInputs } from '../detection.ts';
import { GO_THREAD_LIMIT } from '../../../evidence/resource.ts';
import type { Slope } from '../../growth/wander-trend.ts';
import type { BinColumn } from '../bin-column.ts';
import { ownEffects, removeEffects, shrinkEffects } from './confounders.ts';
import { layHours, newHours } from './hours.ts';
import { slopeOfLast } from './judge.ts';
import type { DetectorOptions, Effects } from '../options.ts';
import { memoryLimitOf, type ResourceState, type TargetState } from '../target-state.ts';
import { clipOutliers } from './window.ts';

/** 5 % of a normal distribution lie beyond it on each side. */
const Z90 = 1.645;

/** A live heap's growth doubles in resident memory, because the collector waits for as much again. */
const RESIDENT_PER_LIVE = 2;
/** It never holds less than what is live, and some room between. */
const RESIDENT_AT_LEAST = 1.05;

/** The level is the mean of so many hours, moved along the slope. */
const LEVEL_HOURS = 12;
/** What the future does to a rate, as a share: load changes, and with it what the collector leaves. */
const FUTURE_DOUBT = 0.1;

export interface Limit {
  readonly limit: number;
  readonly level: number;
  readonly perHour: number;
  readonly standardError: number;
  /**
   * Resident memory: how much it rose so far, and the least it may rise by further on. A small heap is collected when
   * it has doubled, a larger one of a quiet process every two minutes, and then it holds little besides what is live.
   */
  readonly far?: { readonly beyond: number; readonly perHour: number };
}

export interface LimitInput {
  readonly target: TargetState;
  readonly resource: ResourceState;
  readonly slope: Slope;
  /** What the slope is of. */
  readonly lastHours: number;
  readonly effects: Effects;
  readonly prior: Float64Array;
  readonly options: DetectorOptions;
  readonly endBin: number;
}

/** What is compared with which limit, in hours of the detector; undefined when no limit is known. */
export function limitOf(input: LimitInput): Limit | undefined {
  const { target, resource, slope, options } = input;
  const level = levelNow(target, resource.column, input.endBin, slope.perHour);
  const own = { level, ...rateOf(slope) };
  switch (resource.rule.resource) {
    case 'threads':
      return { limit: GO_THREAD_LIMIT, ...own };
    case 'file descriptors':
      return Number.isNaN(target.fileLimit) ? undefined : { limit: target.fileLimit, ...own };
    case 'live heap': {
      const limit = memoryLimitOf(target, options);
      if (Number.isNaN(limit)) return undefined;
      if (/resident|working_set/.test(resource.metric)) return { limit, ...own };
      const resident = residentTrend(input) ?? scaled(own);
      const far = {
        beyond: resident.perHour * input.lastHours,
        perHour: Math.max(0, slope.perHour - Z90 * slope.standardError) * RESIDENT_AT_LEAST,
      };
      return { limit, ...resident, far };
    }
    case 'memory outside the Go heap': {
      // It takes from the same limit as all that is resident.
      const limit = memoryLimitOf(target, options);
      return Number.isNaN(limit) ? undefined : { limit, ...own, level: target.lastResident };
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

/** The limit is on resident memory, so its own slope over the same window counts. */
function residentTrend(input: LimitInput): Omit<Limit, 'limit'> | undefined {
  const { target, lastHours, effects, prior, endBin } = input;
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
  const own = shrinkEffects(ownEffects(hours), fleet);
  removeEffects(hours, own);
  clipOutliers(hours);
  const slope = slopeOfLast(hours, lastHours, own, prior);
  if (slope === undefined) return undefined;
  return { level: levelNow(target, target.resident, endBin, slope.perHour), ...rateOf(slope) };
}

function rateOf({ perHour, standardError }: Slope): Pick<Limit, 'perHour' | 'standardError'> {
  return { perHour, standardError };
}

/** Of this life, also of its first hours; what the last one had is gone. */
function levelNow(target: TargetState, column: BinColumn, endBin: number, perHour: number): number {
  let sum = 0;
  let count = 0;
  for (let bin = endBin - 1; bin >= Math.max(target.firstBin, endBin - LEVEL_HOURS); bin--) {
    if (target.epochAt(bin) !== target.epoch) break;
    const value = column.at(bin);
    if (Number.isNaN(value)) continue;
    sum += value + perHour * (endBin - bin);
    count++;
  }
  return count === 0 ? column.at(endBin - 1) : sum / count;
}

/** The rise that gives these hours, so that anyone can compute them again. Both in the same hours. */
export function limitInputs(value: number, level: number, hours: Interval | undefined): LimitInputs | undefined {
  const room = value - level;
  if (hours === undefined || !(room > 0)) return undefined;
  return { value, level, perHour: [room / hours[1], room / hours[0]] };
}

/** In the detector's hours, 90 %. */
export function hoursToLimit(limit: Limit): Interval | undefined {
  const room = limit.limit - limit.level;
  if (room <= 0) return [0, 0];
  if (limit.perHour <= 0) return undefined;
  const best = room / limit.perHour;
  const error = Math.hypot(limit.standardError / limit.perHour, FUTURE_DOUBT);
  const low = best / (1 + Z90 * error);
  const slow = limit.perHour * (1 - Z90 * error);
  if (slow <= 0.05 * limit.perHour) return [low, Infinity];
  const near = Math.min(room, limit.far?.beyond ?? room);
  return [low, near / slow + (room - near) / Math.min(slow, limit.far?.perHour ?? slow)];
}
