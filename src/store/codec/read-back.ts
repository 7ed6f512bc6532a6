/** Chunks and unsealed samples, as readers want them: the newest, a stretch for a chart, the past for detectors. */
import {
  type Chunk,
  chunkOfRows,
  mergeChunks,
  type Row,
  sliceChunk,
  valueAt,
  type ChunkColumn,
  FIVE_MINUTES,
  HOURS,
  keyOf,
  type Level,
  LEVELS,
  RAW,
  rollUp,
} from './chunk.ts';
import type { ReplayPart, ReplayQuery, SampleQuery, SampleSeries } from '../records.ts';

/** The last point of a chunk; undefined if it has none. */
export function lastRow({ times, columns }: Chunk): Row | undefined {
  if (times.length === 0) return undefined;
  const last = times.length - 1;
  const there = [...columns].filter(([, { values }]) => !Number.isNaN(valueAt(values, last)));
  return {
    at: valueAt(times, last),
    metrics: there.map(([metric]) => metric),
    values: there.map(([, { values }]) => valueAt(values, last)),
  };
}

/** The levels to read for points that far apart, finest first: the coarsest that is fine enough, then coarser ones. */
export function levelsFor({ from, to, maxPoints }: Pick<SampleQuery, 'from' | 'to' | 'maxPoints'>): readonly Level[] {
  const stepSeconds = (to - from) / maxPoints;
  return LEVELS.slice(
    Math.max(
      0,
      LEVELS.findLastIndex(level => level.stepSeconds <= stepSeconds),
    ),
  );
}

/**
 * The points of a target from all levels: coarser ones for the time before a finer level; unsealed samples at the end.
 * `chunksOf` has the chunks of a level up to a time, cut to what is asked for, in order.
 */
export function joinLevels(
  { from, to, maxPoints }: Pick<SampleQuery, 'from' | 'to' | 'maxPoints'>,
  unsealedRows: readonly Row[],
  chunksOf: (level: Level, to: number) => readonly Chunk[],
): Chunk {
  let points = sliceChunk(chunkOfRows(unsealedRows), from, to);
  let before = Infinity;
  for (const level of levelsFor({ from, to, maxPoints })) {
    const found = chunksOf(level, Math.min(to, before)).filter(chunk => chunk.times.length > 0);
    const earlier = found.map(chunk => sliceChunk(chunk, from, before));
    for (const chunk of earlier) points = mergeChunks(chunk, points, keyOf(RAW));
    before = Math.min(before, found[0]?.times[0] ?? before);
  }
  return points;
}

/** A series for each metric that has points. `find` is the number of a metric. */
export function seriesOf(
  { metrics, from, to, maxPoints }: SampleQuery,
  points: Chunk,
  find: (metric: string) => number | undefined,
): SampleSeries[] {
  return metrics.flatMap(metric => {
    const column = points.columns.get(find(metric) ?? -1);
    if (column === undefined) return [];
    const series = thinSeries(points.times, column, from, to, maxPoints);
    return series.times.length === 0 ? [] : [{ metric, ...series }];
  });
}

/** The stretches of a replay, each in one resolution. */
export interface ReplayStretch {
  readonly level: Level;
  readonly from: number;
  readonly to: number;
}

export function replayStretches({ from, stepSeconds, hourlyBefore = -Infinity }: ReplayQuery): ReplayStretch[] {
  const level = (stepSeconds ?? FIVE_MINUTES.stepSeconds) < FIVE_MINUTES.stepSeconds ? RAW : FIVE_MINUTES;
  // Between two points of the hours.
  const cut = Math.floor(hourlyBefore / HOURS.stepSeconds) * HOURS.stepSeconds;
  if (!(cut > from)) return [{ level, from, to: Infinity }];
  return [
    // Times are in milliseconds.
    { level: HOURS, from, to: cut - 0.0005 },
    { level, from: cut, to: Infinity },
  ];
}

/** Nothing if there are no points, or none of the metrics. */
export function replayParts(
  target: string,
  { times, columns }: Chunk,
  nameOf: (metric: number) => string | undefined,
): ReplayPart[] {
  if (times.length === 0) return [];
  const named = [...columns].flatMap(([metric, { values, lows }]) => {
    const name = nameOf(metric);
    return name === undefined ? [] : [{ metric: name, values, lows }];
  });
  return named.length === 0 ? [] : [{ target, times, columns: named }];
}

export function namedValues(
  { metrics, values }: Row,
  nameOf: (metric: number) => string | undefined,
): Record<string, number> {
  return Object.fromEntries(metrics.map((metric, i) => [nameOf(metric) ?? '', values[i] ?? NaN]));
}

/** The points of one metric for a chart: without gaps, and no more than requested. */
type Points = Omit<SampleSeries, 'metric'>;

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
