/** The lines that a chart draws through a resource that grows, and on from now: never across a restart. */
import { median } from '../../judge/growth/theil-sen.ts';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import { RESIDENT_METRICS } from '../../evidence/resource.ts';
import type { SampleSeries } from '../../store/stored-samples.ts';
import { mayLeak } from '../../judge/verdict.ts';
import type { ChartTrend } from '../watch-model.ts';

export interface TrendTimes {
  /** The start of the chart, and of the present life. */
  readonly from: number;
  readonly lifeFrom: number;
  readonly now: number;
}

/** The forecast covers at most half of the time shown, at least an hour. */
const AHEAD_SHARE = 0.5;
const LEAST_SHOWN_SECONDS = 3600;
/** The level is the median of so many samples: a heap goes up and down with every collection. */
const LEVEL_SAMPLES = 9;

/** The resource itself, and resident memory where the limit is on that. */
export function trendsOf(verdict: ResourceVerdict, series: readonly SampleSeries[], times: TrendTimes): ChartTrend[] {
  if (!mayLeak(verdict.verdict)) return [];
  return [...resourceTrend(verdict, series, times), ...residentTrend(verdict, series, times)];
}

function resourceTrend(
  { metric, slopePerHour, slopeInterval, onsetSeconds, timeToLimitHours }: ResourceVerdict,
  series: readonly SampleSeries[],
  { from, lifeFrom, now }: TrendTimes,
): ChartTrend[] {
  const level = presentLevel(series, metric, lifeFrom);
  // Captures may suspect what the metric does not show.
  if (level === undefined || !(slopePerHour > 0)) return [];
  const start = Math.max(from, lifeFrom, onsetSeconds ?? from);
  const hours = hoursAhead(now - from, timeToLimitHours?.[1]);
  const ahead = (perHour: number): number =>
    level.value + (Number.isFinite(perHour) ? perHour : slopePerHour) * (hours + (now - level.at) / 3600);
  return [
    {
      metric,
      from: start,
      at: level.at,
      to: now + hours * 3600,
      valueFrom: level.value - (slopePerHour * (level.at - start)) / 3600,
      valueAt: level.value,
      valueTo: ahead(slopePerHour),
      lowTo: ahead(slopeInterval[0]),
      highTo: ahead(slopeInterval[1]),
    },
  ];
}

/** Its edges reach the limit at both ends of the time to it. */
function residentTrend(
  { limit, metric, timeToLimitHours }: ResourceVerdict,
  series: readonly SampleSeries[],
  { from, lifeFrom, now }: TrendTimes,
): ChartTrend[] {
  const resident = RESIDENT_METRICS.find(name => series.some(one => one.metric === name));
  if (limit === undefined || resident === undefined || resident === metric) return [];
  const level = presentLevel(series, resident, lifeFrom);
  if (level === undefined) return [];
  const hours = hoursAhead(now - from, timeToLimitHours?.[1]);
  const ahead = (perHour: number): number => limit.level + perHour * hours;
  return [
    {
      metric: resident,
      from: level.at,
      at: level.at,
      to: now + hours * 3600,
      valueFrom: limit.level,
      valueAt: limit.level,
      valueTo: null,
      lowTo: ahead(limit.perHour[0]),
      highTo: ahead(limit.perHour[1]),
    },
  ];
}

function hoursAhead(shownSeconds: number, toLimitHours: number | undefined): number {
  return Math.min(toLimitHours ?? Infinity, (AHEAD_SHARE * Math.max(LEAST_SHOWN_SECONDS, shownSeconds)) / 3600);
}

/** Undefined if the present life has no sample in the time shown. */
function presentLevel(
  series: readonly SampleSeries[],
  metric: string,
  lifeFrom: number,
): { readonly at: number; readonly value: number } | undefined {
  const found = series.find(one => one.metric === metric);
  if (found === undefined) return undefined;
  const { times, values } = found;
  const latest: number[] = [];
  for (let i = times.length - 1; i >= 0 && latest.length < LEVEL_SAMPLES; i--) {
    const [at, value] = [times[i], values[i]];
    if (at === undefined || value === undefined || at < lifeFrom) break;
    if (Number.isFinite(value)) latest.push(value);
  }
  const at = times.at(-1);
  return latest.length === 0 || at === undefined ? undefined : { at, value: median(latest) };
}
