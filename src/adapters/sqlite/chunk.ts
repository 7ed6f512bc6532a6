/**
 * A stretch of one target's samples, as columns. Raw chunks have one value per time; in rolled-up ones each point stands
 * for a step and has its lowest and highest beside the median.
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
  /** The very same array as `values` where every point is one sample. */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

export interface Row {
  readonly at: number;
  readonly metrics: readonly number[];
  readonly values: readonly number[];
}

export const EMPTY_CHUNK: Chunk = { times: new Float64Array(0), columns: new Map() };

/** Rows in order of arrival: where two have the same time, the later one counts. */
export function chunkOfRows(rows: readonly Row[]): Chunk {
  const byTime = new Map(rows.map(row => [row.at, row]));
  const sorted = [...byTime.values()].sort((a, b) => a.at - b.at);
  const columns = new Map<number, ChunkColumn>();
  sorted.forEach(({ metrics, values }, i) => {
    metrics.forEach((metric, k) => {
      let column = columns.get(metric);
      if (column === undefined) columns.set(metric, (column = plainColumn(sorted.length)));
      column.values[i] = values[k];
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
  const picks: [chunk: Chunk, index: number][] = [];
  let i = 0;
  for (let k = 0; k < over.times.length; k++) {
    const key = keyOf(over.times[k]);
    while (i < base.times.length && keyOf(base.times[i]) < key) picks.push([base, i++]);
    while (i < base.times.length && keyOf(base.times[i]) === key) i++;
    picks.push([over, k]);
  }
  while (i < base.times.length) picks.push([base, i++]);
  return pick(picks, [base, over]);
}

export function sliceChunk(chunk: Chunk, from: number, to: number): Chunk {
  const picks: [Chunk, number][] = [];
  chunk.times.forEach((time, i) => {
    if (time >= from && time <= to) picks.push([chunk, i]);
  });
  return picks.length === chunk.times.length ? chunk : pick(picks, [chunk]);
}

function pick(picks: readonly (readonly [chunk: Chunk, index: number])[], sources: readonly Chunk[]): Chunk {
  const columns = new Map<number, ChunkColumn>();
  for (const metric of new Set(sources.flatMap(source => [...source.columns.keys()]))) {
    const read = (part: keyof ChunkColumn): Float64Array =>
      Float64Array.from(picks, ([chunk, index]) => chunk.columns.get(metric)?.[part][index] ?? NaN);
    const values = read('values');
    const isPlain = sources.every(source => isPlainColumn(source.columns.get(metric)));
    columns.set(
      metric,
      isPlain ? { values, lows: values, highs: values } : { values, lows: read('lows'), highs: read('highs') },
    );
  }
  return { times: Float64Array.from(picks, ([chunk, index]) => chunk.times[index]), columns };
}

export function isPlainColumn(column: ChunkColumn | undefined): boolean {
  return column === undefined || (column.lows === column.values && column.highs === column.values);
}
