/**
 * Tables of one target with the same times, as one. A Prometheus answers one metric at a time, with the same times for
 * all: one wide table takes a tenth of the memory of many narrow ones.
 *
 *     t0 t1 t2 | goroutines      t0 t1 t2 | heap      ->      t0 t1 t2 | goroutines heap
 */
import { elementAt } from '../../base/assert.ts';
import { isSame, type SampleTable } from './sample-table.ts';

export function mergeTables(tables: readonly SampleTable[]): SampleTable[] {
  const groups: SampleTable[][] = [];
  for (const table of tables) {
    const group = groups.find(([first]) => first !== undefined && isMergeable(first, table));
    // A metric that comes twice stays apart: the later input counts.
    const isRepeated = group?.some(({ metrics }) => metrics.some(metric => table.metrics.includes(metric)));
    if (group === undefined || isRepeated === true) groups.push([table]);
    else group.push(table);
  }
  return groups.map(group => (group.length === 1 ? elementAt(group, 0) : merged(group)));
}

/** Single scrapes in files of their own are many, and each has its own time. */
const LEAST_ROWS = 8;

function isMergeable(a: SampleTable, b: SampleTable): boolean {
  return a.isDated === b.isDated && a.times.length >= LEAST_ROWS && isSame(a.times, b.times);
}

function merged(group: readonly SampleTable[]): SampleTable {
  const { times, isDated } = elementAt(group, 0);
  const metrics = group.flatMap(table => table.metrics);
  const values = new Float64Array(times.length * metrics.length);
  let column = 0;
  for (const table of group) {
    const width = table.metrics.length;
    for (let i = 0; i < width; i++, column++) {
      for (let from = i, to = column; from < table.values.length; from += width, to += metrics.length) {
        values[to] = elementAt(table.values, from);
      }
    }
  }
  return { metrics, times, values, isDated, described: group.flatMap(({ described }) => described) };
}
