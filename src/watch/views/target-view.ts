/** One target: is it leaking, since when, until when? */
import type { LimitSource } from '../../evidence/resource.ts';
import { elementAt } from '../../base/assert.ts';
import type { ResourceVerdict } from '../../judge/detect/detection.ts';
import type { ResourceDetection } from '../../judge/detect/recorded-detection.ts';
import type { ChartSeries, TargetView } from '../watch-model.ts';
import type { SampleSeries } from '../../store/stored-samples.ts';
import { namesFor, PLEG_AGE } from '../../evidence/metric-names.ts';
import { finiteOrNull } from '../../base/finite.ts';
import { historyOf } from '../../evidence/recording/history.ts';
import { resourceDetection } from '../../judge/detect/detect-recording.ts';
import { analyzeCaptures } from '../incidents/incident-analysis.ts';
import { targetSentence } from '../incidents/phrases.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { causeOf } from './target-cause.ts';
import { captureView, cycleView, incidentSummary, ledgersOf, todoOf } from './incident-view.ts';
import { trendsOf } from './trends.ts';

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
  const { samples, clock } = ports;
  const { name } = target;
  const now = clock.now();
  const to = Math.min(askedTo ?? now, now);
  // Never earlier than the first sample: beside an empty week, a full hour would not show.
  const from = Math.min(to, Math.max(askedFrom ?? to - DEFAULT_SECONDS, target.firstSampleAt ?? 0));
  const resources = target.verdict?.resources ?? [];
  const metrics = [...new Set([...CHARTED, ...resources.map(({ metric }) => metric)])];
  const series = await samples.query({ target: name, metrics, from, to, maxPoints: MAX_POINTS });
  const captures = [...state.captures.values()].filter(capture => capture.target === name).sort((a, b) => a.at - b.at);
  const incidents = state.incidents.all().filter(record => record.target === name);
  const open = incidents.find(({ closedAt }) => closedAt === null);
  const analyzed =
    open === undefined ? captures.slice(-NEWEST_CAPTURES) : captures.filter(({ id }) => open.captureIds.includes(id));
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
    series: CHARTED.flatMap(metric => chartSeries(series, metric)),
    epochs: target.lives
      .filter(life => life.from <= to && (life.to ?? Infinity) >= from)
      .map(life => ({ from: life.from, to: life.to })),
    events: (await ports.incidents.events(name, from, to)).slice(-MAX_EVENTS),
    captures: captures.filter(({ at }) => at >= from && at <= to).map(captureView),
    firstSampleAt: target.firstSampleAt ?? null,
    trends: resources.flatMap(one => trendsOf(one, series, { from, lifeFrom: target.lives.at(-1)?.from ?? from, now })),
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
  const files = target.latest['process_max_fds'] ?? 0;
  return [
    ...(memory === undefined
      ? []
      : [{ resource: 'live heap' as const, value: memory, from: target.limitSource ?? null }]),
    ...(files > 0 && files < 2 ** 31 ? [{ resource: 'file descriptors' as const, value: files, from: null }] : []),
  ];
}
