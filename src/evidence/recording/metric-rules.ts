/** What a series is to the detector: under which name its values count, and whether with those of other labels. */
import { isCounted, metricOf } from '../../model/metric-names.ts';
import type { ExpositionSeries } from '../../formats/exposition/exposition.ts';

export interface MetricRule {
  readonly metric: string;
  /** Counted together with the other series of the metric; the rest is one per process. */
  readonly isSum: boolean;
}

/** Undefined when the series is of something else, or not one that counts. */
export function ruleFor({ name, labels }: ExpositionSeries): MetricRule | undefined {
  const found = metricOf(name);
  if (found === undefined || !found.uses.includes('detection') || !isCounted(found, labels)) return undefined;
  return { metric: found.name, isSum: found.isSum };
}
