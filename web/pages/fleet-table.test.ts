import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sparkPath } from './fleet-table.tsx';

describe('sparkPath', () => {
  it('rises with the values, and breaks where one is missing', () => {
    assert.equal(sparkPath([0, 10], 10, 8), 'M0.0 8.0h0L10.0 0.0');
    assert.equal(sparkPath([0, null, 10], 10, 8), 'M0.0 8.0h0M10.0 0.0h0');
  });

  it('draws nearly constant values as a flat line in the middle', () => {
    assert.equal(sparkPath([100, 100], 10, 8), 'M0.0 4.0h0L10.0 4.0');
  });

  it('handles no values, one value, zeros and non-numbers', () => {
    assert.equal(sparkPath([], 10, 8), '');
    assert.equal(sparkPath([null], 10, 8), '');
    assert.doesNotMatch(sparkPath([0], 10, 8), /NaN/);
    assert.doesNotMatch(sparkPath([0, 0, Infinity, NaN], 10, 8), /NaN|Infinity/);
  });
});
