import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { discoveryRates, looksFactor } from './evaluate-cohorts.ts';

describe('discovery over cohorts and over time', () => {
  it("gives Benjamini and Hochberg's adjusted chances", () => {
    const rates = discoveryRates([0.01, 0.04, 0.03, 0.005]);
    for (const [i, expected] of [0.02, 0.04, 0.04, 0.02].entries()) assert.ok(Math.abs(rates[i] - expected) < 1e-12);
    assert.deepEqual(discoveryRates([]), []);
    assert.deepEqual(discoveryRates([1, 1]), [1, 1]);
  });

  it('never spends more than its error, however long it goes on', () => {
    // Four looks in each stretch, for a century of two-week stretches.
    let spent = 0;
    const stretches = new Set<number>();
    for (let hours = 1; hours < 24 * 365 * 100; hours += hours < 400 ? 1 : 300) stretches.add(looksFactor(hours));
    for (const factor of stretches) spent += 4 / factor;
    assert.ok(spent <= 1, `${spent}`);
    assert.ok(looksFactor(12) < looksFactor(40));
  });
});
