/**
 * PromQL for metrics of the table.
 *
 *     max by (node, instance) ({__name__=~"go_goroutines|kubelet_goroutines",job="kubelet"})
 *     sum by (node, instance) (kubelet_started_pods_total{job="kubelet"})
 */
import type { Metric, SeriesFilter } from '../metric-names.ts';
import { type JsonRecord, listOf, parseJsonBytes, recordOf } from '../../base/json.ts';

/** One value for each set of `labels`. `selector` are label matchers for every series, '' for none. */
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
