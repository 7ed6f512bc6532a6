import type { Exposition, ExpositionSeries } from './exposition.ts';

/** Visits every sample with its series, in the order of the input. The time is in unix seconds, NaN when unknown. */
export function forEachSample(
  { series, samples }: Pick<Exposition, 'series' | 'samples'>,
  visit: (series: ExpositionSeries, value: number, atSeconds: number) => void,
): void {
  for (let i = 0; i < samples.series.length; i++) visit(series[samples.series[i]], samples.values[i], samples.times[i]);
}
