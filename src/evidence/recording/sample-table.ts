/**
 * Samples of one source from one input, as a table of numbers.
 *
 *     times     t0        t1        t2
 *     values    m0 m1 m2  m0 m1 m2  m0 m1 m2      row by row; NaN where a row lacks a metric
 */
export interface SampleTable {
  readonly metrics: readonly string[];
  /** Unix seconds, in the order of the input. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Whether the time is only the date of the file, which any copy changes. */
  readonly isDated: boolean;
}

export class SampleTableBuilder {
  isDated = false;
  private readonly columns = new Map<string, number[]>();
  private readonly times: number[] = [];
  private rows = new Map<number, number>();

  /** With `isSum`, the series of one metric are added up within a scrape; otherwise the last one counts. */
  add(metric: string, atSeconds: number, value: number, isSum: boolean): void {
    let row = this.rows.get(atSeconds);
    if (row === undefined) this.rows.set(atSeconds, (row = this.times.push(atSeconds) - 1));
    let column = this.columns.get(metric);
    if (column === undefined) this.columns.set(metric, (column = []));
    while (column.length <= row) column.push(NaN);
    const before = column[row] ?? NaN;
    column[row] = isSum && !Number.isNaN(before) ? before + value : value;
  }

  /** What follows is another scrape, even if it has the same time. */
  endScrape(): void {
    this.rows.clear();
  }

  finish(): SampleTable {
    const metrics = [...this.columns.keys()];
    const times = Float64Array.from(this.times);
    const values = new Float64Array(times.length * metrics.length).fill(NaN);
    metrics.forEach((metric, at) => {
      this.columns.get(metric)?.forEach((value, row) => (values[row * metrics.length + at] = value));
    });
    return { metrics, times, values, isDated: this.isDated };
  }
}

/** Every second row. */
export function thinned({ metrics, times, values, isDated }: SampleTable): SampleTable {
  const width = metrics.length;
  const kept = new Float64Array(Math.ceil(times.length / 2) * width);
  for (let row = 0; row < times.length; row += 2) {
    kept.set(values.subarray(row * width, (row + 1) * width), (row / 2) * width);
  }
  return { metrics, times: times.filter((_, row) => row % 2 === 0), values: kept, isDated };
}
