/**
 * What the OOM cycle needs of a target's samples, and under which names it is kept beside what the detector needs.
 *
 *     rest_client_requests_total{code="503"} 7   ->   rest_client_requests_total 7, oakum_api_errors_total 7
 */
import type { ExpositionSeries } from '../../formats/exposition/exposition.ts';
import type { CycleMetric, MetricsObservation } from '../../model/cycle.ts';
import { canonicalName, isCounted, metricOf } from '../../model/metric-names.ts';
import { CYCLE_METRICS } from '../cycle/metrics-evidence.ts';

const API_ERRORS = 'oakum_api_errors_total';
const MEMORY_EVICTIONS = 'oakum_memory_evictions_total';

/** Evictions are kept by what they were for; the rest as it is called. */
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

/** The name under which a series counts for the cycle besides its own; undefined when under none. */
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
  const told: Partial<Record<CycleMetric, number>> = {};
  let count = 0;
  for (const [metric, meaning] of KEPT) {
    if (!Number.isFinite(values[metric])) continue;
    told[meaning] = values[metric];
    count++;
  }
  if (count === 0) return undefined;
  // That there were none is a count, too.
  if (told.apiRequests !== undefined) told.apiErrors ??= 0;
  return { kind: 'metrics', atSeconds, source: 'metrics', values: told, isExact: true };
}
