import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FineColumn, MIDDLE_EVERY } from './fine-column.ts';

describe('middle bins', () => {
  /** Whole middle bins of 10, 11, 12, and then `passed` minutes of 20. */
  function middleAfter(passed: number): number[] {
    const column = new FineColumn('median');
    const end = 3 * MIDDLE_EVERY + passed;
    for (let bin = 0; bin < end; bin++) {
      column.add(bin, bin < 3 * MIDDLE_EVERY ? 10 + Math.floor(bin / MIDDLE_EVERY) : 20);
    }
    column.advance(end);
    const out = new Float64Array(4);
    column.copyMiddle(out, end);
    return [...out];
  }

  it('end with what has passed of the current one', () => {
    assert.deepEqual(middleAfter(9), [10, 11, 12, 20]);
  });

  it('end without it while it has lasted for a few minutes only', () => {
    assert.deepEqual(middleAfter(3), [10, 11, 12, NaN]);
    assert.deepEqual(middleAfter(0), [10, 11, 12, NaN]);
  });
});

describe('scale', () => {
  it('corrects everything that is kept, the current bin too', () => {
    const column = new FineColumn('median');
    for (let bin = 0; bin < 20; bin++) column.add(bin, 10);
    column.scale(0.5);
    column.add(19, 5);
    column.advance(20);
    const out = new Float64Array(3);
    column.copyFine(out, 20, 3);
    assert.deepEqual([...out], [5, 5, 5]);
    assert.equal(column.medianOfMiddle(0, 0), 5);
  });
});
