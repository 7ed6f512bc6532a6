import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import type { ChartSeries } from '../../src/watch/watch-model.ts';
import { aligned, ratePerHour, restarts, valueRange } from './chart-data.ts';

function series(times: readonly number[], values: readonly number[]): ChartSeries {
  return { metric: 'm', unit: 'count', times, values };
}

describe('aligned', () => {
  it('breaks the line between two lives', () => {
    const epochs = [
      { from: 0, to: 60 },
      { from: 100, to: null },
    ];
    const { times, columns } = aligned([series([0, 30, 60, 100, 130], [1, 2, 3, 1, 2])], epochs);
    assert.deepEqual(times, [0, 30, 60, 80, 100, 130]);
    assert.deepEqual(columns, [[1, 2, 3, null, 1, 2]]);
  });

  it('breaks the line at a gap, not at a late sample', () => {
    const { columns } = aligned([series([0, 30, 60, 110, 140, 400], [1, 1, 1, 1, 1, 2])], []);
    assert.deepEqual(columns, [[1, 1, 1, 1, 1, null, 2]]);
  });

  it("continues through another series' samples", () => {
    const { times, columns } = aligned([series([0, 60], [0, 60]), series([0, 30, 60], [5, 5, 5])], []);
    assert.deepEqual(times, [0, 30, 60]);
    assert.deepEqual(columns, [
      [0, 30, 60],
      [5, 5, 5],
    ]);
  });

  it('keeps every sample', () => {
    const samples = fc.uniqueArray(fc.integer({ min: 0, max: 100_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        const both = [a, b].map(list => list.toSorted((x, y) => x - y)).map(list => series(list, list));
        const { times, columns } = aligned(both, [
          { from: 0, to: 40_000 },
          { from: 41_000, to: null },
        ]);
        assert.deepEqual(
          times,
          times.toSorted((x, y) => x - y),
        );
        for (const [i, one] of both.entries()) {
          assert.equal(columns[i].length, times.length);
          for (const at of one.times) assert.equal(columns[i][times.indexOf(at)], at);
        }
      }),
    );
  });
});

describe('chart data', () => {
  it('puts a restart between two lives, or where they meet', () => {
    assert.deepEqual(
      restarts([
        { from: 100, to: null },
        { from: 0, to: 60 },
      ]),
      [80],
    );
    assert.deepEqual(
      restarts([
        { from: 0, to: null },
        { from: 50, to: null },
      ]),
      [50],
    );
    assert.deepEqual(restarts([{ from: 0, to: null }]), []);
  });

  it('turns a counter into a rate per hour', () => {
    assert.deepEqual(ratePerHour(series([0, 1800, 3600, 7200], [10, 16, 2, 5])).values, [12, 3]);
  });

  it('fits all values, without turning noise into a slope', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 1 }), values => {
        const [low, high] = valueRange(values);
        assert.ok(low < high && low >= 0);
        assert.ok(values.every(value => value >= low && value <= high));
      }),
    );
    const [low, high] = valueRange([100, 100.5]);
    assert.ok(high - low > 14);
    assert.deepEqual(valueRange([]), [0, 1]);
  });
});
