import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hypergeometricTail, leastChance, permutationChance, rankChance, studentQuantile } from './chance.ts';

describe('chance of a difference', () => {
  it('is exact for small groups', () => {
    assert.ok(Math.abs((permutationChance([5, 6, 7], [1, 2, 3]) ?? NaN) - 1 / 20) < 1e-12);
    assert.ok(Math.abs((permutationChance([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) ?? NaN) - 1 / 252) < 1e-12);
    assert.equal(permutationChance([1, 2], [1, 2]), 5 / 6, 'as high or higher');
    // More members than others: the others are chosen.
    assert.ok(Math.abs((permutationChance([5, 6, 7, 8], [1, 2]) ?? NaN) - 1 / 15) < 1e-12);
    assert.equal(
      permutationChance(Array.from({ length: 20 }, Math.sqrt), Array.from({ length: 60 }, Math.sqrt)),
      undefined,
    );
  });

  it('has a floor that the numbers of targets set', () => {
    assert.ok(Math.abs(leastChance(3, 3) - 0.05) < 1e-9);
    assert.ok(Math.abs(leastChance(5, 5) - 1 / 252) < 1e-9);
    assert.ok(leastChance(10, 10) < 6e-6);
  });

  it('of a hypergeometric draw adds up to 1 and falls', () => {
    const sizes = fc.tuple(fc.nat(60), fc.nat(60), fc.nat(60));
    fc.assert(
      fc.property(sizes, ([all, a, b]) => {
        const [marked, drawn] = [Math.min(a, all), Math.min(b, all)];
        assert.ok(Math.abs(hypergeometricTail(all, marked, drawn, 0) - 1) < 1e-9);
        for (let k = 1; k <= drawn; k++) {
          assert.ok(hypergeometricTail(all, marked, drawn, k) <= hypergeometricTail(all, marked, drawn, k - 1) + 1e-12);
        }
      }),
    );
  });

  it('by rank survives one odd target in four', () => {
    const others = Array.from({ length: 60 }, (_, i) => i / 60);
    assert.ok(rankChance([5, 6, 7, 8], others) < 1e-4);
    assert.ok(rankChance([5, 6, 7, -8], others) < 1e-3);
    assert.ok(rankChance([0.1, 0.3, 0.5, 0.9], others) > 0.1);
  });

  it('inverts Student', () => {
    assert.ok(Math.abs(studentQuantile(0.05, 4) - 2.132) < 0.01);
    assert.ok(Math.abs(studentQuantile(0.05, 1000) - 1.646) < 0.01);
  });
});
