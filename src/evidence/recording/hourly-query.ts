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
import { seriesOf } from '../formats/metric-query.ts';
import { type Metric, metricsFor, SERIES_COUNT } from '../metric-names.ts';
import { NODE_ALLOCATABLE } from '../resource.ts';
import { TARGET_LABELS } from './source.ts';

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
