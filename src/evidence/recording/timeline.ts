/** The tables of one target in time order: samples of one moment come together, whatever input they are from. */
import { type Description, descriptionsOf } from '../attribute-runs.ts';
import { type SampleTable, withRows } from './sample-table.ts';
import { elementAt } from '../../base/errors.ts';

export interface TimedValues {
  readonly atSeconds: number;
  /** Metric name -> value. */
  readonly values: Readonly<Record<string, number>>;
}

export class Timeline {
  readonly tables: readonly SampleTable[];
  /** Columns over the rows of all tables: the time, and the number of the table. */
  private readonly times: Float64Array;
  private readonly tableOf: Uint32Array;
  /** The first row of each table. */
  private readonly firsts: readonly number[];
  /** Rows in time order. */
  private readonly order: Uint32Array;
  private next = 0;

  constructor(tables: readonly SampleTable[]) {
    this.tables = tables;
    const rowCount = tables.reduce((count, { times }) => count + times.length, 0);
    const times = new Float64Array(rowCount);
    this.tableOf = new Uint32Array(rowCount);
    const firsts: number[] = [];
    let row = 0;
    for (const [number, table] of tables.entries()) {
      firsts.push(row);
      times.set(table.times, row);
      this.tableOf.fill(number, row, row + table.times.length);
      row += table.times.length;
    }
    this.times = times;
    this.firsts = firsts;
    this.order = orderOf(times);
  }

  /** What the target was from when on, in time order. */
  get descriptions(): readonly Description[] {
    return descriptionsOf(this.tables.flatMap(({ described }) => described));
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

  /** The moments up to a time that were not given yet. */
  *until(atSeconds: number): Generator<TimedValues> {
    while (this.timeAt(this.next) <= atSeconds) {
      const now = this.timeAt(this.next);
      const values: Record<string, number> = {};
      // If a metric comes twice at one time, the later input counts.
      for (; this.timeAt(this.next) === now; this.next++) this.fill(values, elementAt(this.order, this.next));
      yield { atSeconds: now, values };
    }
  }

  /** The time of the last moment up to a time; NaN if there is none. */
  lastUntil(atSeconds: number): number {
    let last = this.order.length - 1;
    while (last >= 0 && this.timeAt(last) > atSeconds) last--;
    return this.timeAt(last);
  }

  /** What was not given yet, in memory of its own; undefined if there is nothing. */
  rest(): Timeline | undefined {
    if (this.next >= this.order.length) return undefined;
    const rows = this.tables.map((): number[] => []);
    for (const row of this.order.subarray(this.next)) {
      const table = elementAt(this.tableOf, row);
      rows[table]?.push(row - elementAt(this.firsts, table));
    }
    return new Timeline(
      this.tables.flatMap((table, i) => {
        const kept = rows[i] ?? [];
        return kept.length === 0 ? [] : [{ ...withRows(table, kept), described: [] }];
      }),
    );
  }

  /** NaN beyond the end. */
  private timeAt(index: number): number {
    const row = this.order[index];
    return row === undefined ? NaN : elementAt(this.times, row);
  }

  private fill(into: Record<string, number>, row: number): void {
    const table = elementAt(this.tableOf, row);
    const { metrics, values } = elementAt(this.tables, table);
    const first = (row - elementAt(this.firsts, table)) * metrics.length;
    for (let i = 0; i < metrics.length; i++) {
      const value = elementAt(values, first + i);
      if (!Number.isNaN(value)) into[elementAt(metrics, i)] = value;
    }
  }
}

/** Rows by time; of one time, the first one first. Mostly a few tables that are each in order: runs to be merged. */
function orderOf(times: Float64Array): Uint32Array {
  let order = Uint32Array.from(times.keys());
  let ends: number[] = [];
  for (let row = 1; row <= times.length; row++) {
    if (row === times.length || elementAt(times, row) < elementAt(times, row - 1)) ends.push(row);
  }
  let spare = new Uint32Array(times.length);
  while (ends.length > 1) {
    const merged: number[] = [];
    for (let run = 0, from = 0; run < ends.length; run += 2) {
      const middle = elementAt(ends, run);
      const to = ends[run + 1] ?? middle;
      for (let a = from, b = middle, at = from; at < to; at++) {
        const isLeft =
          b >= to || (a < middle && elementAt(times, elementAt(order, a)) <= elementAt(times, elementAt(order, b)));
        spare[at] = elementAt(order, isLeft ? a++ : b++);
      }
      merged.push(to);
      from = to;
    }
    [order, spare, ends] = [spare, order, merged];
  }
  return order;
}
