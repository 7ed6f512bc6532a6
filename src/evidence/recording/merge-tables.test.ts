import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SampleTable } from './sample-table.ts';
import { Timeline } from './timeline.ts';
import { mergeTables } from './read-recording.ts';

const ROWS = 10;
const table = (metric: string, level: number, from = 0): SampleTable => ({
  metrics: [metric],
  times: Float64Array.from({ length: ROWS }, (_, i) => from + i * 60),
  values: Float64Array.from({ length: ROWS }, (_, i) => level + i),
  isDated: false,
  described: [{ attribute: 'job', value: metric, fromSeconds: 0, toSeconds: 0 }],
});

const rowsOf = (tables: readonly SampleTable[]) => [...new Timeline(tables).until(Infinity)];

describe('tables with the same times', () => {
  it('become one, and say the same', () => {
    const tables = [table('a', 1), table('b', 100), table('c', 7, 30), table('a', 50)];
    const one = mergeTables(tables);
    assert.deepEqual(
      one.map(({ metrics }) => metrics),
      [['a', 'b'], ['c'], ['a']],
    );
    assert.deepEqual(rowsOf(one), rowsOf(tables));
    assert.equal(one[0].described.length, 2);
  });

  it('stay apart if they are single scrapes', () => {
    const single = { ...table('a', 1), times: Float64Array.of(5), values: Float64Array.of(1) };
    assert.equal(mergeTables([single, { ...single, metrics: ['b'] }]).length, 2);
  });
});
