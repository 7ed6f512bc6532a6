import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalQuantileOfTail, normalTail, studentTail } from './student-t.ts';

describe('tails', () => {
  it('of the normal distribution match the tables', () => {
    for (const [z, tail] of [
      [0, 0.5],
      [1.2815515655446004, 0.1],
      [1.6448536269514722, 0.05],
      [2.5758293035489004, 0.005],
      [4.753424308822899, 1e-6],
      [8, 6.220960574271785e-16],
    ]) {
      assert.ok(Math.abs(normalTail(z) / tail - 1) < 1e-6, `P(Z > ${z}) = ${normalTail(z)}, not ${tail}`);
      assert.ok(Math.abs(normalQuantileOfTail(tail) - z) < 1e-6, `z of ${tail}`);
    }
    assert.equal(normalTail(-3) + normalTail(3), 1);
  });

  it("of Student's t match the tables", () => {
    for (const [t, degrees, tail] of [
      [2.132, 4, 0.05],
      [3.747, 4, 0.01],
      [1.812, 10, 0.05],
      [2.764, 10, 0.01],
      [4.144, 10, 0.001],
      [1.697, 30, 0.05],
      [3.385, 30, 0.001],
    ]) {
      assert.ok(Math.abs(studentTail(t, degrees) / tail - 1) < 0.01, `${t}, ${degrees}: ${studentTail(t, degrees)}`);
    }
  });
});
