/**
 * PromQL for one value an hour of each target, as the detector would make it from every sample.
 *
 *     max by (node, ...) (avg_over_time(go_gc_heap_live_bytes{...}[1h]))
 *     max by (node, ...) (min_over_time(go_goroutines{...}[1h]))            the lowest, for what has bursts or a sawtooth
 *     max by (node, ...) (last_over_time(process_start_time_seconds{...}[1h]))   counters and start times
 *
 * `oakum rules --format recording` records these under `oakum:hourly:METRIC`; then they need not be computed again.
 */
import { RESOURCE_RULES } from '../resource-rules.ts';
import { type Metric, metricsFor, SERIES_COUNT, type SeriesFilter } from '../metric-names.ts';
import { NODE_ALLOCATABLE } from '../resource.ts';
import { TARGET_LABELS } from './source.ts';
import { type JsonRecord, listOf, parseJsonBytes, recordOf } from '../../base/json.ts';

/** What a fleet is judged by, without what a process has many series of. */
export const FLEET_METRICS: readonly Metric[] = metricsFor('detection').filter(
  one => !one.isPerPod && one.name !== SERIES_COUNT && one.name !== NODE_ALLOCATABLE,
);

const LOWEST: ReadonlySet<string> = new Set(
  RESOURCE_RULES.flatMap(({ sources }) =>
    sources.filter(({ aggregate }) => aggregate !== 'median').map(({ metric }) => metric),
  ),
);
/** Gauges that are averaged; of counters and start times, the last value of the hour counts, however rare scrapes are. */
const LEVELS: ReadonlySet<string> = new Set([
  ...RESOURCE_RULES.flatMap(({ sources }) => sources.map(({ metric }) => metric)),
  'kubelet_running_pods',
]);

export function hourlyRecord(metric: string): string {
  return `oakum:hourly:${metric}`;
}

/** `span`: how long an hour of the detector lasts, which is less in an accelerated cluster. */
export function hourlyQuery(metric: Metric, matchers: string, span = '1h'): string {
  const series = seriesOf([metric], matchers);
  const over = !LEVELS.has(metric.name) ? 'last' : LOWEST.has(metric.name) ? 'min' : 'avg';
  return byTarget(metric, `${over}_over_time(${series}[${span}])`);
}

/** From the recorded series: rules are evaluated at any minute of the hour. */
export function recordedQuery(metric: Metric, matchers: string): string {
  return byTarget(metric, `last_over_time(${hourlyRecord(metric.name)}{${matchers}}[1h])`);
}

export function byTarget({ isSum }: Metric, expression: string): string {
  return `${isSum ? 'sum' : 'max'} by (${TARGET_LABELS.join(', ')}) (${expression})`;
}

/**
 * PromQL for metrics of the table.
 *
 *     max by (node, instance) ({__name__=~"go_goroutines|kubelet_goroutines",job="kubelet"})
 *     sum by (node, instance) (kubelet_started_pods_total{job="kubelet"})
 *
 * One value for each set of `labels`. `selector` are label matchers for every series, '' for none.
 */
export function valueByLabels(metric: Metric, selector: string, labels: readonly string[]): string {
  const matchers = metric.only === undefined ? [selector] : [selector, matcherOf(metric.only)];
  return `${metric.isSum ? 'sum' : 'max'} by (${labels.join(', ')}) (${seriesOf([metric], ...matchers)})`;
}

/** Every series of the metrics, counted or not. */
export function seriesOf(metrics: readonly Metric[], ...matchers: readonly string[]): string {
  const names = metrics.flatMap(({ name, aliases }) => [name, ...aliases]);
  const name = names.length === 1 ? (names[0] ?? '') : '';
  const all = [name === '' ? `__name__=~"${names.join('|')}"` : '', ...matchers].filter(matcher => matcher !== '');
  return all.length === 0 ? name : `${name}{${all.join(',')}}`;
}

/** Prometheus takes a missing label for an empty one. */
export function matcherOf({ label, pattern, unless }: SeriesFilter): string {
  return `${label}=~"${pattern}${unless === undefined ? '|' : ''}"`;
}

/** The labels of the series in the answer to an instant query. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SERIES = 20_000;

/** Empty when the bytes are no such answer, or too large to be taken apart. */
export function readLabelSets(bytes: Uint8Array): JsonRecord[] {
  const { data } = recordOf(parseJsonBytes(bytes, MAX_BYTES));
  return listOf(recordOf(data)['result'])
    .slice(0, MAX_SERIES)
    .map(series => recordOf(recordOf(series)['metric']));
}
