/** The points of one metric for a chart: without gaps, and no more than requested. */
import type { SampleSeries } from '../stored-samples.ts';
import type { ChunkColumn } from './chunk.ts';
import { rollUp } from './rollup.ts';

export type Points = Omit<SampleSeries, 'metric'>;

/** Each point of a thinned series stands for an equal part of the time, with its lowest and highest value. */
export function thinSeries(
  times: Float64Array,
  column: ChunkColumn,
  from: number,
  to: number,
  maxPoints: number,
): Points {
  const isThere = (_: number, i: number): boolean => !Number.isNaN(column.values[i]);
  const seen = times.filter(isThere);
  const { values, lows, highs } = column;
  const points = { values: values.filter(isThere), lows: lows.filter(isThere), highs: highs.filter(isThere) };
  if (seen.length <= maxPoints) return { times: seen, ...points };
  const partSeconds = (to - from) / maxPoints;
  // The last moment belongs to the last part.
  const part = (at: number): number => Math.min(maxPoints - 1, Math.floor((at - from) / partSeconds));
  const thin = rollUp({ times: seen, columns: new Map([[0, points]]) }, part);
  return { times: thin.times, ...(thin.columns.get(0) ?? points) };
}
