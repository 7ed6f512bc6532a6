/**
 * A stretch of one target's samples, as columns. Raw chunks have one value per time; in rolled-up ones each point stands
 * for a step and has its lowest and highest beside the median. The levels say how long steps are, and are kept.
 *
 *     times    t0   t1   t2          in order, each once
 *     metric   v0   NaN  v2          NaN where the metric was missing
 */
export interface Chunk {
  readonly times: Float64Array;
  /** By the metric's number. */
  readonly columns: ReadonlyMap<number, ChunkColumn>;
}

export interface ChunkColumn {
  readonly values: Float64Array;
  /** The same array as `values` if every point is one sample. */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export interface Row {
  readonly at: number;
  readonly metrics: readonly number[];
  readonly values: readonly number[];
}

export const EMPTY_CHUNK: Chunk = { times: new Float64Array(0), columns: new Map() };

/** NaN beyond the end. */
export function valueAt(column: Float64Array, i: number): number {
  return column[i] ?? NaN;
}

/** Rows in order of arrival: of two with the same time, the later one counts. */
export function chunkOfRows(rows: readonly Row[]): Chunk {
  const byTime = new Map(rows.map(row => [row.at, row]));
  const sorted = [...byTime.values()].sort((a, b) => a.at - b.at);
  const columns = new Map<number, ChunkColumn>();
  sorted.forEach(({ metrics, values }, i) => {
    metrics.forEach((metric, k) => {
      let column = columns.get(metric);
      if (column === undefined) columns.set(metric, (column = plainColumn(sorted.length)));
      column.values[i] = values[k] ?? NaN;
    });
  });
  return { times: Float64Array.from(sorted, row => row.at), columns };
}

function plainColumn(length: number): ChunkColumn {
  const values = new Float64Array(length).fill(NaN);
  return { values, lows: values, highs: values };
}

/** Both in time order; points of `over` replace those of `base` with the same key. Keys grow with time. */
export function mergeChunks(base: Chunk, over: Chunk, keyOf: (time: number) => number): Chunk {
  if (base.times.length === 0) return over;
  if (over.times.length === 0) return base;
  const runs: Run[] = [];
  let next = 0;
  // NaN beyond the end, which is neither less than a key nor equal to it.
  const baseKey = (i: number): number => keyOf(valueAt(base.times, i));
  const overKey = (i: number): number => keyOf(valueAt(over.times, i));
  for (let begin = 0; begin < over.times.length;) {
    const key = overKey(begin);
    const from = next;
    while (baseKey(next) < key) next++;
    if (next > from) runs.push([base, from, next]);
    // Until something of the base comes in between.
    let end = begin;
    while (end < over.times.length && !(baseKey(next) < overKey(end))) {
      while (baseKey(next) === overKey(end)) next++;
      end++;
    }
    runs.push([over, begin, end]);
    begin = end;
  }
  if (next < base.times.length) runs.push([base, next, base.times.length]);
  return join(runs);
}

export function sliceChunk(chunk: Chunk, from: number, to: number): Chunk {
  const { times } = chunk;
  let begin = 0;
  while (valueAt(times, begin) < from) begin++;
  let end = begin;
  while (valueAt(times, end) <= to) end++;
  return cutChunk(chunk, begin, end);
}

/** The points from `begin` to before `end`. */
export function cutChunk(chunk: Chunk, begin: number, end: number): Chunk {
  if (begin === 0 && end === chunk.times.length) return chunk;
  const columns = new Map<number, ChunkColumn>();
  for (const [metric, { values, lows, highs }] of chunk.columns) {
    const own = values.slice(begin, end);
    // Plain columns stay plain: one array for all three.
    const cut = (other: Float64Array): Float64Array => (other === values ? own : other.slice(begin, end));
    columns.set(metric, { values: own, lows: cut(lows), highs: cut(highs) });
  }
  return { times: chunk.times.slice(begin, end), columns };
}

type Run = readonly [chunk: Chunk, begin: number, end: number];

function join(runs: readonly Run[]): Chunk {
  const length = runs.reduce((sum, [, begin, end]) => sum + end - begin, 0);
  const copy = (columnOf: (chunk: Chunk) => Float64Array | undefined): Float64Array => {
    const joined = new Float64Array(length);
    let at = 0;
    for (const [chunk, begin, end] of runs) {
      const column = columnOf(chunk);
      if (column === undefined) joined.fill(NaN, at, at + end - begin);
      else joined.set(column.subarray(begin, end), at);
      at += end - begin;
    }
    return joined;
  };
  const columns = new Map<number, ChunkColumn>();
  const metrics = new Set(runs.flatMap(([chunk]) => [...chunk.columns.keys()]));
  for (const metric of metrics) {
    const values = copy(chunk => chunk.columns.get(metric)?.values);
    const isPlain = runs.every(([chunk]) => isPlainColumn(chunk.columns.get(metric)));
    const lows = isPlain ? values : copy(chunk => chunk.columns.get(metric)?.lows);
    const highs = isPlain ? values : copy(chunk => chunk.columns.get(metric)?.highs);
    columns.set(metric, { values, lows, highs });
  }
  return { times: copy(chunk => chunk.times), columns };
}

export function isPlainColumn(column: ChunkColumn | undefined): boolean {
  return column === undefined || (column.lows === column.values && column.highs === column.values);
}

export interface Level {
  /** 0: as sampled. */
  readonly stepSeconds: number;
  readonly slotSeconds: number;
}

export const RAW: Level = { stepSeconds: 0, slotSeconds: 2 * 3600 };
export const FIVE_MINUTES: Level = { stepSeconds: 300, slotSeconds: 6 * 3600 };
export const HOURS: Level = { stepSeconds: 3600, slotSeconds: 5 * 86_400 };
export const LEVELS: readonly Level[] = [RAW, FIVE_MINUTES, HOURS];

/**
 * The three resolutions, and how a coarser one is made from a finer one.
 *
 *     step 0      as sampled        chunks of 2 h
 *     step 300    5 minutes         chunks of 6 h
 *     step 3600   1 hour            chunks of 5 days
 */
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
