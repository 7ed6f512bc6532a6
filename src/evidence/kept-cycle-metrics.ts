/**
 * What the OOM cycle needs from a target's samples, and the names it is kept under beside what the detector needs.
 *
 *     rest_client_requests_total{code="503"} 7   ->   rest_client_requests_total 7, oakum_api_errors_total 7
 */
import type { ExpositionSeries } from './formats/exposition/exposition.ts';
import type { CycleMetric, MetricsObservation } from './cycle/cycle.ts';
import { canonicalName, isCounted, metricOf } from './metric-names.ts';
import { CYCLE_METRICS } from './cycle/metrics-evidence.ts';

const API_ERRORS = 'oakum_api_errors_total';
const MEMORY_EVICTIONS = 'oakum_memory_evictions_total';

/** Evictions are kept by their cause, the rest under its own name. */
const KEPT: ReadonlyMap<string, CycleMetric> = new Map<string, CycleMetric>([
  ...[...CYCLE_METRICS].filter(([, meaning]) => meaning !== 'memoryEvictions'),
  [API_ERRORS, 'apiErrors'],
  [MEMORY_EVICTIONS, 'memoryEvictions'],
]);

export const KEPT_CYCLE_METRICS: readonly string[] = [...KEPT.keys()];

export function isKeptForCycle(series: ExpositionSeries): boolean {
  const metric = metricOf(series.name);
  return metric !== undefined && KEPT.has(metric.name) && isCounted(metric, series.labels);
}

/** The second name that a series counts under; undefined when it has none. */
export function cycleNameOf({ name, labels }: ExpositionSeries): string | undefined {
  if (name === 'rest_client_requests_total') {
    const { code = '' } = labels;
    return code === '<error>' || code === '429' || code.startsWith('5') ? API_ERRORS : undefined;
  }
  if (canonicalName(name) === 'kubelet_evictions')
    return (labels['eviction_signal'] ?? '').includes('memory') ? MEMORY_EVICTIONS : undefined;
  return undefined;
}

export function cycleObservation(
  atSeconds: number,
  values: Readonly<Record<string, number>>,
): MetricsObservation | undefined {
  const known: Partial<Record<CycleMetric, number>> = {};
  let count = 0;
  for (const [metric, meaning] of KEPT) {
    const value = values[metric];
    if (value === undefined || !Number.isFinite(value)) continue;
    known[meaning] = value;
    count++;
  }
  if (count === 0) return undefined;
  // No error is a count of 0.
  if (known.apiRequests !== undefined) known.apiErrors ??= 0;
  return { kind: 'metrics', atSeconds, source: 'metrics', values: known, isExact: true };
}
