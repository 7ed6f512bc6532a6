/**
 * Scrapes in time order, and what happened between two of them.
 *
 * start       sample       sample         counters start at 0 with the process, so the first
 * |-interval-|--interval--|             sample already covers the time since the start
 */
import type { CycleMetric, MetricsObservation } from '../../evidence/cycle/cycle.ts';

export type Values = Readonly<Partial<Record<CycleMetric, number>>>;

export interface Sample {
  readonly atSeconds: number;
  readonly isExact: boolean;
  readonly values: Values;
  readonly source: string;
}

/**
 * Endpoints of one process are scraped within the same second. Scrapes that only have the date of their file are left
 * out if others have a known time, since they would give wrong rates.
 */
export function samplesOf(metrics: readonly MetricsObservation[]): Sample[] {
  const bySecond = new Map<number, Sample>();
  const hasExact = metrics.some(({ isExact }) => isExact);
  for (const { atSeconds, isExact, values, source } of metrics) {
    if (atSeconds === undefined || isExact !== hasExact) continue;
    const second = Math.round(atSeconds);
    const known = bySecond.get(second);
    if (known === undefined) bySecond.set(second, { atSeconds, isExact, values, source });
    else bySecond.set(second, { ...known, values: { ...known.values, ...values } });
  }
  return [...bySecond.values()].sort((a, b) => a.atSeconds - b.atSeconds);
}

export interface Interval {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** Mean time of a relist and of a pod worker's run, from sums and counts; undefined if there was none. */
  readonly relistSeconds: number | undefined;
  readonly workerSeconds: number | undefined;
  readonly apiPerSecond: number | undefined;
  readonly apiRequests: number;
  readonly apiErrors: number;
  /** Time since PLEG was last active, at the end. The histogram of relists ends at 10 s and cannot show it. */
  readonly plegAgeSeconds: number | undefined;
}

/** `startSeconds` is when the process started, if metrics show it. */
export function intervalsOf(samples: readonly Sample[], startSeconds: number | undefined): Interval[] {
  const intervals: Interval[] = [];
  let before: { atSeconds: number; values: Values } | undefined;
  if (startSeconds !== undefined) before = { atSeconds: startSeconds, values: ZERO };
  for (const sample of samples) {
    // The other endpoints do not expose any of these.
    if (sample.values.relists === undefined && sample.values.apiRequests === undefined) continue;
    if (before !== undefined && sample.atSeconds > before.atSeconds) intervals.push(between(before, sample));
    before = sample;
  }
  return intervals;
}

const ZERO: Values = { relistSeconds: 0, relists: 0, workerSeconds: 0, workerRuns: 0, apiRequests: 0, apiErrors: 0 };

function between(from: { atSeconds: number; values: Values }, to: Sample): Interval {
  const seconds = to.atSeconds - from.atSeconds;
  const requests = rise(from.values, to.values, 'apiRequests');
  return {
    fromSeconds: from.atSeconds,
    toSeconds: to.atSeconds,
    relistSeconds: mean(from.values, to.values, 'relistSeconds', 'relists'),
    workerSeconds: mean(from.values, to.values, 'workerSeconds', 'workerRuns'),
    apiPerSecond: requests === undefined ? undefined : requests / seconds,
    apiRequests: requests ?? 0,
    apiErrors: rise(from.values, to.values, 'apiErrors') ?? 0,
    plegAgeSeconds: plegAge(to),
  };
}

/** Undefined if a counter is missing or fell, which only a restart does. */
function rise(from: Values, to: Values, name: CycleMetric): number | undefined {
  const [a, b] = [from[name], to[name]];
  return a === undefined || b === undefined || b < a ? undefined : b - a;
}

function mean(from: Values, to: Values, sum: CycleMetric, count: CycleMetric): number | undefined {
  const [total, number] = [rise(from, to, sum), rise(from, to, count)];
  return total === undefined || number === undefined || number === 0 ? undefined : total / number;
}

export function plegAge({ atSeconds, isExact, values }: Sample): number | undefined {
  const seen = values.plegLastSeenSeconds;
  // 0 before the first relist; and the date of a file only shows when it was copied.
  if (seen === undefined || seen <= 0 || !isExact) return undefined;
  return Math.max(0, atSeconds - seen);
}
