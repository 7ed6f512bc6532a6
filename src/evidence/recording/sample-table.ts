/**
 * Samples of one source from one input, as a table of numbers.
 *
 *     times     t0        t1        t2
 *     values    m0 m1 m2  m0 m1 m2  m0 m1 m2      row by row; NaN where a row lacks a metric
 */
import { AttributeRuns, type AttributeRun } from '../attribute-runs.ts';
import { elementAt } from '../../base/errors.ts';

export interface SampleTable {
  readonly metrics: readonly string[];
  /** Unix seconds, in the order of the input. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Whether the time is only the date of the file, which any copy changes. */
  readonly isDated: boolean;
  /** What the process was, and when. */
  readonly described: readonly AttributeRun[];
}

export class SampleTableBuilder {
  isDated = false;
  private readonly runs = new AttributeRuns();
  private readonly columns = new Map<string, number[]>();
  private readonly times: number[] = [];
  /** The first row of the present scrape, and the one that the next sample most likely belongs to. */
  private firstRow = 0;
  private nextRow = 0;
  /** By time, for a scrape whose times do not rise; most do. */
  private rows: Map<number, number> | undefined;
  /** The only series, while there is no other: it is a table already. */
  private whole: { readonly metric: string; readonly times: Float64Array; readonly values: Float64Array } | undefined;

  /** With `isSum`, the series of one metric are added up within a scrape; otherwise the last one counts. */
  add(metric: string, atSeconds: number, value: number, isSum: boolean): void {
    this.takeApart();
    const row = this.rowAt(atSeconds);
    let column = this.columns.get(metric);
    if (column === undefined) this.columns.set(metric, (column = []));
    while (column.length <= row) column.push(NaN);
    const before = column[row] ?? NaN;
    column[row] = isSum && !Number.isNaN(before) ? before + value : value;
  }

  /** All samples of a series, whose times rise and whose values are finite. */
  addSeries(metric: string, times: Float64Array, values: Float64Array, isSum: boolean): void {
    if (this.whole === undefined && this.times.length === 0) {
      this.whole = { metric, times, values };
      return;
    }
    for (const [i, time] of times.entries()) this.add(metric, time, elementAt(values, i), isSum);
  }

  private takeApart(): void {
    const { whole } = this;
    if (whole === undefined) return;
    this.whole = undefined;
    for (const time of whole.times) this.times.push(time);
    this.columns.set(whole.metric, Array.from(whole.values));
    this.nextRow = this.times.length;
  }

  private rowAt(atSeconds: number): number {
    const { times, nextRow, firstRow } = this;
    // The row after the last sample's, the same, or the first, where another series begins.
    let row: number | undefined;
    if (times[nextRow] === atSeconds) row = nextRow;
    else if (nextRow > firstRow && times[nextRow - 1] === atSeconds) row = nextRow - 1;
    else if (times[firstRow] === atSeconds) row = firstRow;
    const last = times.length > firstRow ? (times.at(-1) ?? -Infinity) : -Infinity;
    if (row === undefined && this.rows === undefined && !(atSeconds > last)) {
      this.rows = new Map(times.slice(firstRow).map((time, i) => [time, firstRow + i]));
    }
    row ??= this.rows?.get(atSeconds);
    if (row === undefined) {
      row = times.push(atSeconds) - 1;
      this.rows?.set(atSeconds, row);
    }
    this.nextRow = row + 1;
    return row;
  }

  describe(attribute: string, value: string, atSeconds: number): void {
    this.runs.add(attribute, value, atSeconds);
  }

  /** What follows is another scrape, even if it has the same time. */
  endScrape(): void {
    this.takeApart();
    this.rows = undefined;
    this.firstRow = this.nextRow = this.times.length;
  }

  finish(): SampleTable {
    const described = this.runs.all();
    if (this.whole !== undefined) {
      const { metric, times, values } = this.whole;
      return { metrics: [metric], times: times.slice(), values: values.slice(), isDated: this.isDated, described };
    }
    const metrics = [...this.columns.keys()];
    const times = Float64Array.from(this.times);
    const values = new Float64Array(times.length * metrics.length).fill(NaN);
    metrics.forEach((metric, at) => {
      this.columns.get(metric)?.forEach((value, row) => (values[row * metrics.length + at] = value));
    });
    return { metrics, times, values, isDated: this.isDated, described };
  }
}

/** Whether two columns hold the same numbers. */
export function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Some of the rows, by number. */
export function withRows(table: SampleTable, rows: readonly number[]): SampleTable {
  const { metrics, times, values } = table;
  const width = metrics.length;
  const kept = new Float64Array(rows.length * width);
  rows.forEach((row, i) => kept.set(values.subarray(row * width, (row + 1) * width), i * width));
  return { ...table, times: Float64Array.from(rows, row => times[row] ?? NaN), values: kept };
}

/** Every second row. */
export function thinned(table: SampleTable): SampleTable {
  return withRows(
    table,
    Array.from({ length: Math.ceil(table.times.length / 2) }, (_, i) => 2 * i),
  );
}
