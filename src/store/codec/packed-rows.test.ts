import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packRows, unpackRows } from './packed-rows.ts';

const metric = fc.constantFrom('go_goroutines', 'go_threads', 'a', '');
const row = fc.record(
  { target: fc.string(), at: fc.double(), values: fc.dictionary(metric, fc.double(), { noNullPrototype: true }) },
  { noNullPrototype: true },
);

describe('packed rows', () => {
  it('are the same rows in the same order', () => {
    fc.assert(
      fc.property(fc.array(row), rows => {
        assert.deepEqual(unpackRows(structuredClone(packRows(rows))), rows);
      }),
    );
  });

  it('name the metrics once', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ target: `node/${i}`, at: i, values: { a: i, b: 2 * i } }));
    const [shape, ...others] = packRows(rows);
    assert.deepEqual([shape?.metrics, others.length], [['a', 'b'], 0]);
  });
});
