/** One target: is it leaking, since when, until when? */
import { type LimitSource, NATIVE_PARTS, nativeSeriesIn, RESIDENT_METRICS } from '../../evidence/resource.ts';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import type { ResourceDetection } from '../../judge/detect/recorded-detection.ts';
import type { ChartSeries, TargetView, ChartTrend, TargetCause, TimeBins } from '../watch-model.ts';
import { namesFor, NATIVE_MEMORY, PLEG_AGE } from '../../evidence/metric-names.ts';
import { finiteOrNull } from '../../base/finite.ts';
import { resourceDetection } from '../../judge/detect/detect-recording.ts';
import { analyzeCaptures } from '../incidents/incident-analysis.ts';
import { targetSentence } from '../incidents/phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { cycleView, ledgersOf, todoOf } from './incident-view.ts';
import { median } from '../../judge/growth/theil-sen.ts';
import { mayLeak } from '../../judge/verdict.ts';
import type { SampleSeries } from '../../store/records.ts';
import { explanationOf, healthyCauseOf } from '../incidents/cause-phrases.ts';
import { elementAt } from '../../base/errors.ts';
import { historyOf } from '../../evidence/recording/source.ts';
import { incidentSummary } from './incidents-view.ts';
import { captureView } from './evidence-view.ts';

/** The forecast covers at most half of the time shown, at least an hour. */
const AHEAD_SHARE = 0.5;

const MIN_SHOWN_SECONDS = 3600;

/** The level is the median of so many samples: a heap goes up and down with every collection. */
const LEVEL_SAMPLES = 9;

const DEFAULT_SECONDS = 7 * 24 * 3600;
const MAX_POINTS = 600;
const MAX_EVENTS = 500;
const HISTORY_PARTS = 48;
/** How many captures to analyse if there is no incident. */
const NEWEST_CAPTURES = 4;

const CHARTED: readonly string[] = namesFor('chart');
const PLEG_SEEN = 'kubelet_pleg_last_seen_seconds';

export async function targetView(
  state: WatchState,
  target: WatchedTarget,
  askedFrom: number | undefined,
  askedTo: number | undefined,
): Promise<TargetView> {
  const { ports } = state;
  const { store, clock } = ports;
  const { name } = target;
  const now = clock.now();
  const to = Math.min(askedTo ?? now, now);
  // Never earlier than the first sample: beside an empty week, a full hour would not show.
  const from = Math.min(to, Math.max(askedFrom ?? to - DEFAULT_SECONDS, target.samples.firstAt ?? 0));
  const resources = target.verdict?.resources ?? [];
  const metrics = [...new Set([...CHARTED, ...NATIVE_PARTS, ...resources.map(({ metric }) => metric)])];
  const series = withNativeMemory(await store.query({ target: name, metrics, from, to, maxPoints: MAX_POINTS }));
  const events = await store.records({ kind: 'event', target: name, since: from, until: to });
  const captures = [...state.captures.values()].filter(capture => capture.target === name).sort((a, b) => a.at - b.at);
  const incidents = state.incidents.targets().filter(({ subject }) => subject.target === name);
  const open = incidents.find(({ closedAt }) => closedAt === null);
  const analyzed =
    open === undefined
      ? captures.slice(-NEWEST_CAPTURES)
      : captures.filter(({ id }) => open.subject.captureIds.includes(id));
  const analysis = (await analyzeCaptures(state, open?.id ?? name, analyzed)) ?? null;
  const cycle = await cycleView(state, name, from, to);
  return {
    schema: 'oakum.target/v1',
    target: name,
    at: now,
    from,
    to,
    sentence: targetSentence(target, now),
    verdict: target.verdict?.verdict ?? 'unknown',
    attributes: target.attributes,
    resources: resources.map(one => detectionOf(one, series, from, to, target.limitSource)),
    series: [...CHARTED, NATIVE_MEMORY].flatMap(metric => chartSeries(series, metric)),
    epochs: target.samples.lives
      .filter(life => life.from <= to && (life.to ?? Infinity) >= from)
      .map(life => ({ from: life.from, to: life.to })),
    events: events.slice(-MAX_EVENTS).map(({ at, kind, text }) => ({ at, kind, text })),
    captures: captures.filter(({ at }) => at >= from && at <= to).map(captureView),
    firstSampleAt: target.samples.firstAt ?? null,
    trends: resources.flatMap(one =>
      trendsOf(one, series, { from, lifeFrom: target.samples.lives.at(-1)?.from ?? from, now }),
    ),
    limits: limitsOf(target),
    cycle,
    incidents: incidents.map(one => incidentSummary(state, one)),
    analysis,
    cause: causeOf(state, target),
    ledgers: ledgersOf(state, target, analysis),
    todo: open === undefined ? [] : todoOf(state, open, analysis, cycle),
  };
}

function detectionOf(
  verdict: ResourceVerdict,
  series: readonly SampleSeries[],
  from: number,
  to: number,
  limitSource: LimitSource | undefined,
): ResourceDetection {
  const tables = series.map(({ metric, times, values }) => ({
    metrics: [metric],
    times,
    values,
    isDated: false,
    described: [],
  }));
  const history = Array.from(historyOf(tables, verdict.metric, from, to, HISTORY_PARTS), finiteOrNull);
  return { ...resourceDetection(verdict, [], limitSource), history };
}

/** Which no process exposes: it is computed from what a sample has. */
function withNativeMemory(series: readonly SampleSeries[]): readonly SampleSeries[] {
  const native = nativeSeriesIn(metric => series.find(one => one.metric === metric));
  if (native === undefined) return series;
  const isKnown = (_: number, i: number): boolean => Number.isFinite(native.values[i]);
  const times = native.times.filter(isKnown);
  // The runtime may hold pages that it has not touched.
  const values = native.values.filter(isKnown).map(value => Math.max(0, value));
  return [...series, { metric: NATIVE_MEMORY, times, values, lows: values, highs: values }];
}

function chartSeries(series: readonly SampleSeries[], metric: string): ChartSeries[] {
  const found = series.find(one => one.metric === metric);
  if (found === undefined || found.times.length === 0) return [];
  const [times, values] = [Array.from(found.times), Array.from(found.values)];
  const unit = unitOf(metric);
  if (metric !== PLEG_SEEN) return [{ metric, unit, times, values }];
  // The metric is the time of the last relist; the chart shows how long ago that was.
  const ages = times.map((time, i) => Math.max(0, time - elementAt(values, i)));
  return [{ metric: PLEG_AGE, unit, times, values: ages }];
}

/** Prometheus names end in the unit. */
function unitOf(metric: string): ChartSeries['unit'] {
  if (metric.endsWith('_bytes')) return 'bytes';
  return metric.endsWith('_seconds') ? 'seconds' : 'count';
}

function limitsOf(target: WatchedTarget): TargetView['limits'] {
  const memory = target.memoryLimitBytes;
  const files = target.samples.latest['process_max_fds'] ?? 0;
  return [
    ...(memory === undefined
      ? []
      : [{ resource: 'live heap' as const, value: memory, from: target.limitSource ?? null }]),
    ...(files > 0 && files < 2 ** 31 ? [{ resource: 'file descriptors' as const, value: files, from: null }] : []),
  ];
}

/** The lines that a chart draws through a resource that grows, and on from now: never across a restart. */
interface TrendTimes {
  /** The start of the chart, and of the present life. */
  readonly from: number;
  readonly lifeFrom: number;
  readonly now: number;
}

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
  return Math.min(toLimitHours ?? Infinity, (AHEAD_SHARE * Math.max(MIN_SHOWN_SECONDS, shownSeconds)) / 3600);
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

/** Why a target grows, as its row and its page say it: by the captures of its incident; otherwise by its metrics. */
export function causeOf({ incidents }: Pick<WatchState, 'incidents'>, target: WatchedTarget): TargetCause | null {
  const verdict = target.verdict?.verdict ?? 'unknown';
  if (!mayLeak(verdict)) return verdict === 'healthy' ? healthyCauseOf(target) : explanationOf(target);
  return incidents.ofTarget(target.incidentId)?.subject.cause ?? null;
}

/** The time that a page shows, in equal parts. */
const BINS = 96;
const MIN_STEP_SECONDS = 10;

/** Never earlier than the first sample: beside an empty week, a full hour would not show. */
export function binsOf({ targets }: WatchState, hours: number, now: number): TimeBins {
  let first = now;
  for (const { samples } of targets.values())
    if (samples.lives.length > 0) first = Math.min(first, samples.firstAt ?? first);
  const from = Math.max(now - hours * 3600, first);
  const stepSeconds = Math.max(MIN_STEP_SECONDS, (now - from) / BINS);
  return { from, stepSeconds, count: Math.max(1, Math.ceil((now - from) / stepSeconds)) };
}
