/** Why two rates of the live heap differ: a profile samples and shows one family, metrics count all of it. */
import type { MetricGrowth } from '../growth/metric-growth.ts';
import { formatBytes } from '../../base/quantities.ts';
import type { Growth } from '../growth/growth.ts';

/** Null if the profiles give no rate. */
export function comparedRate({ perHour, perHourRange }: Growth, rise: MetricGrowth): string | null {
  if (perHour === undefined) return null;
  const [low, high] = perHourRange ?? [perHour, perHour];
  const counted = `${formatBytes(rise.perHour)}/h`;
  if (rise.perHour > high) {
    const why = 'the rest is in other families, or in stacks too rare for the sampling';
    return `sampled, and of this family alone; the live heap, counted, rises ${counted}: ${why}`;
  }
  if (rise.perHour < low)
    return `sampled; the live heap, counted, rises only ${counted}: other families shrank, or the samples exaggerate`;
  return `sampled, and of this family alone; the live heap, counted, rises ${counted} in all`;
}
