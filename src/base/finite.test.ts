import assert from 'node:assert/strict';
import { it } from 'node:test';
import { finite, finiteOrNull, firstFinite } from './finite.ts';

it('accepts finite numbers only', () => {
  assert.deepEqual([0, -1.5, NaN, Infinity, undefined].map(finite), [0, -1.5, undefined, undefined, undefined]);
  assert.deepEqual([0, NaN, undefined].map(finiteOrNull), [0, null, null]);
});

it('takes the first known value', () => {
  const values = { a: NaN, b: 0, c: 3 };
  assert.equal(firstFinite(values, ['x', 'a', 'b', 'c']), 0);
  assert.equal(firstFinite(values, ['x', 'a']), undefined);
});
