/** The tables of one target in time order: samples of one moment come together, whichever inputs they are from. */
import type { SampleTable } from './sample-table.ts';

export interface TimedValues {
  readonly atSeconds: number;
  /** Metric name -> value. */
  readonly values: Readonly<Record<string, number>>;
}

export class Timeline {
  readonly tables: readonly SampleTable[];
  /** Columns over the rows of all tables: when, and of which table; its rows begin at `firsts`. */
  private readonly times: Float64Array;
  private readonly tableOf: Uint32Array;
  private readonly firsts: readonly number[];
  /** Rows in time order. */
  private readonly order: Uint32Array;
  private next = 0;

  constructor(tables: readonly SampleTable[]) {
    this.tables = tables;
    const firsts: number[] = [];
    let count = 0;
    for (const { times } of tables) {
      firsts.push(count);
      count += times.length;
    }
    const times = new Float64Array(count);
    this.tableOf = new Uint32Array(count);
    tables.forEach((table, number) => {
      times.set(table.times, firsts[number]);
      this.tableOf.fill(number, firsts[number], firsts[number] + table.times.length);
    });
    this.times = times;
    this.firsts = firsts;
    this.order = Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b);
  }

  get rowCount(): number {
    return this.order.length;
  }

  get fromSeconds(): number {
    return this.timeAt(0);
  }

  get toSeconds(): number {
    return this.timeAt(this.order.length - 1);
  }

  /** The moments that were not given yet, up to a time. */
  *until(atSeconds: number): Generator<TimedValues> {
    while (this.timeAt(this.next) <= atSeconds) {
      const now = this.timeAt(this.next);
      const values: Record<string, number> = {};
      // Of the same metric twice at one time, the input that came later counts.
      for (; this.timeAt(this.next) === now; this.next++) this.fill(values, this.order[this.next]);
      yield { atSeconds: now, values };
    }
  }

  /** NaN beyond the end. */
  private timeAt(index: number): number {
    return index < this.order.length ? this.times[this.order[index]] : NaN;
  }

  private fill(into: Record<string, number>, row: number): void {
    const table = this.tableOf[row];
    const { metrics, values } = this.tables[table];
    const first = (row - this.firsts[table]) * metrics.length;
    for (let i = 0; i < metrics.length; i++) {
      const value = values[first + i];
      if (!Number.isNaN(value)) into[metrics[i]] = value;
    }
  }
}
