/**
 * The reconciliation storm after a restart: every pod is synced, every object listed and every status sent at once.
 *
 * API requests/s   0.1 | 44  50  31  25  21 | 0.1  0.1        the level before is that of the previous life
 *                  restart |------ storm -------| recovered
 */
import { median } from '../growth/theil-sen.ts';
import type { Interval } from './samples.ts';

export interface Storm {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  /** Still going on when the record ends. */
  readonly isOngoing: boolean;
  readonly apiRequests: number;
  readonly apiErrors: number;
  readonly peakApiPerSecond: number | undefined;
  readonly calmApiPerSecond: number | undefined;
  readonly worstRelistSeconds: number | undefined;
  readonly worstWorkerSeconds: number | undefined;
  readonly worstPlegAgeSeconds: number | undefined;
}

export interface Calm {
  readonly apiPerSecond: number | undefined;
  readonly relistSeconds: number | undefined;
  readonly workerSeconds: number | undefined;
}

/** The normal level if nothing was recorded before: a kubelet sends one or two requests a second. */
const STORM_API_PER_SECOND = 10;
const MIN_API_PER_SECOND = 2;
/** The PLEG relists every second. */
const STORM_RELIST_SECONDS = 1;
const MIN_RELIST_SECONDS = 0.5;
const STORM_WORKER_SECONDS = 5;
const MIN_WORKER_SECONDS = 1;
/** This many times the previous level is not chance. */
const FACTOR = 5;
/** The PLEG counts as unhealthy from 180 s. */
const STORM_PLEG_SECONDS = 30;
/** A storm begins right after the start; a later one has another cause. */
const BEGIN_SECONDS = 180;
/** This many calm intervals end it. */
const CALM_INTERVALS = 2;
/** Fewer intervals do not make a level. */
const MIN_INTERVALS = 3;
/** The time after a start that does not count for the level either. */
const SETTLE_SECONDS = 300;

/** The level of a life, without its first minutes. */
export function calmOf(intervals: readonly Interval[], startSeconds: number | undefined): Calm {
  const settled = intervals.filter(({ fromSeconds }) => fromSeconds >= (startSeconds ?? -Infinity) + SETTLE_SECONDS);
  const level = (of: (interval: Interval) => number | undefined): number | undefined => {
    const values = settled.map(of).filter(value => value !== undefined);
    return values.length < MIN_INTERVALS ? undefined : median(values);
  };
  return {
    apiPerSecond: level(interval => interval.apiPerSecond),
    relistSeconds: level(interval => interval.relistSeconds),
    workerSeconds: level(interval => interval.workerSeconds),
  };
}

export function findStorm(intervals: readonly Interval[], startSeconds: number, calm: Calm): Storm | undefined {
  const stormy = intervals.map(interval => isStormy(interval, calm));
  const first = stormy.findIndex(Boolean);
  if (first < 0 || intervals[first].fromSeconds > startSeconds + BEGIN_SECONDS) return undefined;
  let last = first;
  for (let i = first + 1; i < intervals.length && i - last <= CALM_INTERVALS; i++) if (stormy[i]) last = i;
  const own = intervals.slice(first, last + 1);
  const worst = (of: (interval: Interval) => number | undefined): number | undefined =>
    own.reduce<number | undefined>((most, interval) => {
      const value = of(interval);
      return value === undefined || (most !== undefined && most >= value) ? most : value;
    }, undefined);
  return {
    fromSeconds: own[0].fromSeconds,
    untilSeconds: own[own.length - 1].toSeconds,
    isOngoing: intervals.length - 1 - last < CALM_INTERVALS,
    apiRequests: own.reduce((sum, { apiRequests }) => sum + apiRequests, 0),
    apiErrors: own.reduce((sum, { apiErrors }) => sum + apiErrors, 0),
    peakApiPerSecond: worst(interval => interval.apiPerSecond),
    calmApiPerSecond: calm.apiPerSecond,
    worstRelistSeconds: worst(interval => interval.relistSeconds),
    worstWorkerSeconds: worst(interval => interval.workerSeconds),
    worstPlegAgeSeconds: worst(interval => interval.plegAgeSeconds),
  };
}

function isStormy(interval: Interval, calm: Calm): boolean {
  const { apiPerSecond = 0, relistSeconds = 0, workerSeconds = 0, plegAgeSeconds = 0 } = interval;
  return (
    apiPerSecond >= threshold(calm.apiPerSecond, MIN_API_PER_SECOND, STORM_API_PER_SECOND) ||
    relistSeconds >= threshold(calm.relistSeconds, MIN_RELIST_SECONDS, STORM_RELIST_SECONDS) ||
    workerSeconds >= threshold(calm.workerSeconds, MIN_WORKER_SECONDS, STORM_WORKER_SECONDS) ||
    plegAgeSeconds >= STORM_PLEG_SECONDS
  );
}

function threshold(calm: number | undefined, least: number, unknown: number): number {
  return calm === undefined ? unknown : Math.max(FACTOR * calm, least);
}
