/**
 * Whether a leak came back after a restart: compares the slopes before and after, at the same number of pods.
 *
 *     level   ..../            ..../     came back: the program leaks
 *             .../ |           .../
 *             ../  |restart    ../
 *             ./   |          _____      cleared: something outside triggered it, and is gone
 */
import { theilSen, median } from '../growth/theil-sen.ts';
import { formatAge, formatBytes, formatCount, hourly, signed } from '../../base/say.ts';
import type { ResourceUnit } from '../../evidence/resource.ts';

export interface LifeSeries {
  /** Unix seconds, in order. */
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly pods: number | undefined;
}

/** A slope that was measured before, with its pods. */
export interface KnownSlope {
  readonly perHour: number;
  readonly interval: readonly [low: number, high: number];
  readonly pods: number | undefined;
}

export interface RestartFacts {
  readonly unit: 'bytes' | 'count';
  readonly before: LifeSeries | KnownSlope;
  /** After the warm-up. */
  readonly after: LifeSeries;
  /** With less, there is no verdict. */
  readonly leastSeconds: number;
  /** The family that grew in both lives, if profiles show one. */
  readonly family: string | undefined;
}

export interface RestartVerdict {
  readonly verdict: AfterRestart;
  readonly text: string;
  /** Null while one of them is not known. */
  readonly slopes: RestartSlopes | null;
}

/** Shares of the slope before: above, it is the same leak; below, there is none. */
const SAME_SHARE = 0.4;
const POD_SHARE = 0.2;

export function afterRestart(facts: RestartFacts): RestartVerdict {
  const { before, after, leastSeconds, unit } = facts;
  const seen = spanOf(after);
  if (seen < leastSeconds)
    return early(`seen for ${formatAge(seen)} since the restart, ${formatAge(leastSeconds)} are needed`);
  const old = slopeOf(before);
  const fresh = slopeOf(after);
  if (old === undefined || !(old.slope > 0)) return early('too little is known about the time before the restart');
  if (fresh === undefined) return early('too few samples since the restart');
  const rate = (perHour: number): string =>
    `${hourly(signed(unit === 'bytes' ? formatBytes(perHour) : formatCount(Math.round(perHour))))}`;
  const slopes = `${rate(old.slope)} before the restart, ${rate(fresh.slope)} after it`;
  const both: RestartSlopes = { unit, before: perHour(old), after: perHour(fresh) };
  const pods = podsPhrase(before.pods, after.pods);
  if (pods === undefined)
    return early(`${slopes}, but with ${before.pods} pods before and ${after.pods} after: not comparable yet`, both);
  const bar = SAME_SHARE * old.slope;
  if (fresh.low > 0 && fresh.slope >= bar) {
    const family = facts.family === undefined ? '' : `; the same family grows again: ${facts.family}`;
    return {
      verdict: 'came back, intrinsic',
      slopes: both,
      text: `${slopes}${pods}: a restart only buys time${family}`,
    };
  }
  if (fresh.high < bar)
    return {
      verdict: 'cleared, external trigger',
      slopes: both,
      text: `${slopes}${pods}: look for a trigger that existed before and not after`,
    };
  return early(`${slopes}${pods}: not enough to tell yet`, both);
}

function early(text: string, slopes: RestartSlopes | null = null): RestartVerdict {
  return { verdict: 'too early', text, slopes };
}

function perHour({ slope, low, high }: { slope: number; low: number; high: number }): RestartSlopes['before'] {
  return { perHour: slope, interval: [low, high] };
}

function spanOf({ times }: LifeSeries): number {
  return (times[times.length - 1] ?? 0) - (times[0] ?? 0);
}

function slopeOf(life: LifeSeries | KnownSlope): { slope: number; low: number; high: number } | undefined {
  if ('perHour' in life) return { slope: life.perHour, low: life.interval[0], high: life.interval[1] };
  const { times, values } = life;
  return theilSen(
    Array.from(times, time => time / 3600),
    values,
  );
}

/** Undefined if the two lives had such different loads that their slopes cannot be compared. */
function podsPhrase(before: number | undefined, after: number | undefined): string | undefined {
  if (before === undefined || after === undefined) return '';
  if (Math.abs(after - before) > POD_SHARE * Math.max(before, after, 5)) return undefined;
  return `, at ${Math.round(after)} pods`;
}

export function medianOf(values: ArrayLike<number>): number | undefined {
  const finite = Array.from(values).filter(Number.isFinite);
  return finite.length === 0 ? undefined : median(finite);
}

export type AfterRestart = 'cleared, external trigger' | 'came back, intrinsic' | 'too early';

/** How fast the resource grew before and after a restart; the interval is of 95 %. */
export interface RestartSlopes {
  readonly unit: ResourceUnit;
  readonly before: { readonly perHour: number; readonly interval: readonly [number, number] };
  readonly after: { readonly perHour: number; readonly interval: readonly [number, number] };
}
