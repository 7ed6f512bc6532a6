/**
 * Samples in columns, for another thread: rows with the same metrics share one list of names, and their values are
 * copied as one block.
 *
 *     { target: 'node/a', at: 60, values: { go_goroutines: 310, go_threads: 14 } }
 *     { target: 'node/b', at: 61, values: { go_goroutines: 290, go_threads: 12 } }
 *
 *     metrics   go_goroutines  go_threads
 *     rows      0              1              where they stand among all
 *     targets   node/a         node/b
 *     times     60             61
 *     values    310 14         290 12
 */

export interface SampleRow {
  readonly target: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

export interface PackedShape {
  readonly metrics: readonly string[];
  readonly rows: Uint32Array;
  readonly targets: readonly string[];
  readonly times: Float64Array;
  /** Those of the first row, then those of the next. */
  readonly values: Float64Array;
}

export function packRows(rows: readonly SampleRow[]): PackedShape[] {
  const shapes = new Map<string, { readonly metrics: readonly string[]; readonly rows: number[] }>();
  rows.forEach(({ values }, row) => {
    const metrics = Object.keys(values);
    const key = `${metrics.length} ${metrics.join('\n')}`;
    const shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, { metrics, rows: [row] });
    else shape.rows.push(row);
  });
  return Array.from(shapes.values(), shape => packShape(rows, shape.metrics, shape.rows));
}

function packShape(rows: readonly SampleRow[], metrics: readonly string[], which: readonly number[]): PackedShape {
  const targets: string[] = [];
  const times = new Float64Array(which.length);
  const values = new Float64Array(which.length * metrics.length);
  which.forEach((row, i) => {
    const one = rows[row];
    if (one === undefined) return;
    targets.push(one.target);
    times[i] = one.at;
    for (let m = 0; m < metrics.length; m++) values[i * metrics.length + m] = one.values[metrics[m] ?? ''] ?? NaN;
  });
  return { metrics, rows: Uint32Array.from(which), targets, times, values };
}

type OnRow = (target: string, at: number, metrics: readonly string[], values: Float64Array) => void;

/** In the order in which they were packed. Rows with the same metrics have the same list of them. */
export function eachRow(shapes: readonly PackedShape[], onRow: OnRow): void {
  const places: (readonly [shape: PackedShape, i: number])[] = [];
  for (const shape of shapes) shape.rows.forEach((row, i) => (places[row] = [shape, i]));
  for (const [{ metrics, targets, times, values }, i] of places)
    onRow(targets[i] ?? '', times[i] ?? NaN, metrics, values.subarray(i * metrics.length, (i + 1) * metrics.length));
}

export function unpackRows(shapes: readonly PackedShape[]): SampleRow[] {
  const all: SampleRow[] = [];
  eachRow(shapes, (target, at, metrics, values) => {
    const named: Record<string, number> = {};
    for (let m = 0; m < metrics.length; m++) named[metrics[m] ?? ''] = values[m] ?? NaN;
    all.push({ target, at, values: named });
  });
  return all;
}
