/** How the detector uses a series: the name its values count under, and whether they are added to those of other labels. */
import { isCounted, metricOf } from '../metric-names.ts';
import type { ExpositionSeries } from '../formats/exposition/exposition.ts';

export interface MetricRule {
  readonly metric: string;
  /** Whether the series of the metric are added up; otherwise there is one per process. */
  readonly isSum: boolean;
}

/** Undefined when the detector does not use the metric, or not this series of it. */
export function ruleFor({ name, labels }: ExpositionSeries): MetricRule | undefined {
  const found = metricOf(name);
  if (found === undefined || !found.uses.includes('detection') || !isCounted(found, labels)) return undefined;
  return { metric: found.name, isSum: found.isSum };
}
