/**
 * The three resolutions, and how a coarser one is made from a finer one.
 *
 *     step 0      as sampled        chunks of 2 h
 *     step 300    5 minutes         chunks of 6 h
 *     step 3600   1 hour            chunks of 5 days
 */
import { type Chunk, type ChunkColumn, valueAt } from './chunk.ts';

export interface Level {
  /** 0: as sampled. */
  readonly stepSeconds: number;
  readonly slotSeconds: number;
}

export const RAW: Level = { stepSeconds: 0, slotSeconds: 2 * 3600 };
export const FIVE_MINUTES: Level = { stepSeconds: 300, slotSeconds: 6 * 3600 };
export const HOURS: Level = { stepSeconds: 3600, slotSeconds: 5 * 86_400 };
export const LEVELS: readonly Level[] = [RAW, FIVE_MINUTES, HOURS];

export function slotOf(level: Level, at: number): number {
  return Math.floor(at / level.slotSeconds);
}

/** Two points of a level with the same key are the same point. */
export function keyOf(level: Level): (at: number) => number {
  const { stepSeconds } = level;
  return stepSeconds === 0 ? at => at : at => Math.floor(at / stepSeconds);
}

/**
 * A point has the time of its last sample, so that it comes before every later sample. Of two middle values the median is
 * the lower one, so that it is always a value that was seen: a start time never lies between two starts.
 */
export function rollUp(chunk: Chunk, bin: (at: number) => number): Chunk {
  const { times } = chunk;
  const ends: number[] = [];
  for (let i = 1; i <= times.length; i++)
    if (i === times.length || bin(valueAt(times, i)) !== bin(valueAt(times, i - 1))) ends.push(i);
  if (ends.length === times.length) return chunk;
  const columns = new Map<number, ChunkColumn>();
  for (const [metric, column] of chunk.columns) columns.set(metric, rollUpColumn(column, ends));
  return { times: Float64Array.from(ends, end => valueAt(times, end - 1)), columns };
}

function rollUpColumn(column: ChunkColumn, ends: readonly number[]): ChunkColumn {
  const values = new Float64Array(ends.length).fill(NaN);
  const lows = new Float64Array(ends.length).fill(NaN);
  const highs = new Float64Array(ends.length).fill(NaN);
  let begin = 0;
  ends.forEach((end, i) => {
    const seen = column.values
      .slice(begin, end)
      .filter(value => !Number.isNaN(value))
      .sort();
    if (seen.length > 0) {
      values[i] = valueAt(seen, (seen.length - 1) >> 1);
      lows[i] = lowest(column.lows, begin, end);
      highs[i] = highest(column.highs, begin, end);
    }
    begin = end;
  });
  return { values, lows, highs };
}

/** Ignores NaN, which is never less or greater. */
function lowest(column: Float64Array, begin: number, end: number): number {
  let low = Infinity;
  for (let i = begin; i < end; i++) {
    const value = valueAt(column, i);
    if (value < low) low = value;
  }
  return low;
}

function highest(column: Float64Array, begin: number, end: number): number {
  let high = -Infinity;
  for (let i = begin; i < end; i++) {
    const value = valueAt(column, i);
    if (value > high) high = value;
  }
  return high;
}
