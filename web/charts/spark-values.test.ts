import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { sparkPath } from '../pages/fleet-table.tsx';
import { sparkValues } from '../../src/watch/views/fleet-rows.ts';

it('keeps what a sparkline can show', () => {
  assert.deepEqual(sparkValues([96_468_992.4375, 121_634_816.25, null]), [96_400_000, 121_600_000, null]);
  assert.deepEqual(sparkValues([484.3333333333333, 3.14159, 9.0004]), [484.5, 3, 9]);
  assert.deepEqual(sparkValues([0.123456, 5e-324]), [0.123, 0]);
  assert.deepEqual(sparkValues([0, null]), [0, null]);
  assert.deepEqual(sparkValues([]), []);
});

it('draws the same line to within a pixel', () => {
  const heights = (values: readonly (number | null)[]): number[] =>
    [...sparkPath(values, 96, 18).matchAll(/[ML]\S+ ([-\d.]+)/g)].map(match => Number(match[1]));
  const level = fc.option(fc.double({ min: 1, max: 1e13, noNaN: true }), { nil: null });
  fc.assert(
    fc.property(fc.array(level, { maxLength: 96 }), levels => {
      const [exact, rounded] = [heights(levels), heights(sparkValues(levels))];
      assert.equal(rounded.length, exact.length);
      for (const [i, height] of exact.entries()) assert.ok(Math.abs(height - rounded[i]) < 0.75);
    }),
  );
});
