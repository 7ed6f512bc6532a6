import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { criticalT, judgeGrowth, type Round } from './judge-growth.ts';

const RULE = { budget: 0.01, alpha: 0.0005, levelNoise: 0.5 };

const rounds = (count: number, level: (round: number) => number, operations = 50): Round[] =>
  Array.from({ length: count }, (_, i) => ({ operations, level: level(i + 1) }));

/** A fixed disturbance of a level. */
const wobble = (round: number): number => [0, 1, -1, 0, 0, -1, 1, 0, 1, -1, 0][round % 11] ?? 0;

describe('the growth of a level over rounds', () => {
  it('is a leak when each operation adds something', () => {
    const judged = judgeGrowth(
      100,
      rounds(12, round => 100 + 50 * round),
      RULE,
    );
    assert.equal(judged.decision, 'leaks');
    assert.ok(Math.abs(judged.perOperation[1] - 1) < 1e-9);
    assert.equal(judged.weakest, 1);
  });

  it('is found at one goroutine in 50 operations', () => {
    const judged = judgeGrowth(
      100,
      rounds(30, round => 100 + round + wobble(round)),
      RULE,
    );
    assert.equal(judged.decision, 'leaks');
    assert.ok(judged.perOperation[0] > 0.01 && judged.perOperation[2] < 0.04);
  });

  it('is within the budget when nothing stays, also after a warm-up', () => {
    assert.equal(
      judgeGrowth(
        100,
        rounds(30, round => 100 + wobble(round)),
        RULE,
      ).decision,
      'within',
    );
    const filling = rounds(30, round => 100 + 400 * (1 - Math.exp(-round / 1.5)));
    assert.equal(judgeGrowth(100, filling, RULE).decision, 'within');
  });

  it('is never a leak while a cache still fills', () => {
    for (let count = 1; count < 40; count++) {
      const filling = rounds(count, round => 100 + 400 * (1 - Math.exp(-round / 4)));
      assert.notEqual(judgeGrowth(100, filling, RULE).decision, 'leaks', `${count} rounds`);
    }
  });

  it('is not a leak before rounds that confirm it', () => {
    const atOnce = judgeGrowth(
      100,
      rounds(10, round => 100 + 50 * round),
      RULE,
    );
    assert.deepEqual([atOnce.decision, atOnce.operationsNeeded], ['undecided', 150]);
    // A map of 200 keys, filled by 20 operations a round: a straight line for ten rounds.
    for (let count = 1; count < 40; count++) {
      const filling = rounds(count, round => 4096 * Math.min(200, 20 * round), 20);
      const { decision } = judgeGrowth(0, filling, { budget: 512, alpha: 0.0005, levelNoise: 4096 });
      assert.notEqual(decision, 'leaks', `${count} rounds`);
    }
  });

  it('is never a leak while a map of random keys fills', () => {
    for (const perRound of [20, 30, 50]) {
      for (let count = 1; count < 40; count++) {
        const level = (round: number): number => 4096 * 200 * (1 - Math.exp((-round * perRound) / 200));
        const { decision } = judgeGrowth(0, rounds(count, level, perRound), {
          budget: 512,
          alpha: 0.0005,
          levelNoise: 4096,
        });
        assert.notEqual(decision, 'leaks', `${perRound} in each of ${count} rounds`);
      }
    }
  });

  it('is undecided with few rounds, and says how many operations more', () => {
    const judged = judgeGrowth(
      100,
      rounds(6, round => 100 + wobble(round)),
      RULE,
    );
    assert.equal(judged.decision, 'undecided');
    const needed = judged.operationsNeeded ?? 0;
    assert.ok(needed >= 50 && needed < 3000, `${needed}`);
    assert.equal(judgeGrowth(100, [], RULE).decision, 'undecided');
  });

  it('does not depend on the unit or on where the level begins', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 4, maxLength: 30 }),
        fc.constantFrom(0.25, 2, 1024),
        fc.integer({ min: 0, max: 1_000_000 }),
        (steps, unit, start) => {
          let sum = 0;
          const levels = steps.map(step => (sum += step));
          const plain = judgeGrowth(
            0,
            rounds(levels.length, i => levels[i - 1] ?? 0),
            RULE,
          );
          const scaled = judgeGrowth(
            start,
            rounds(levels.length, i => start + unit * (levels[i - 1] ?? 0)),
            {
              budget: RULE.budget * unit,
              alpha: RULE.alpha,
              levelNoise: RULE.levelNoise * unit,
            },
          );
          const off = Math.abs(scaled.perOperation[1] / unit - plain.perOperation[1]);
          assert.ok(Number.isNaN(off) || off < 1e-6, `${off}`);
          assert.equal(scaled.decision, plain.decision);
        },
      ),
    );
  });
});

describe('the bound for looking after every round', () => {
  it('is wider than that of a single look, falls with more rounds and rises with certainty', () => {
    assert.equal(criticalT(3, 1, 0.0005), Infinity);
    const bounds = [8, 16, 32].map(n => criticalT(n, n - 2, 0.0005));
    assert.ok(
      bounds.every((bound, i) => bound > 3.6 && bound < (bounds[i - 1] ?? Infinity)),
      bounds.join(' '),
    );
    assert.ok(criticalT(16, 14, 1e-5) > criticalT(16, 14, 1e-3));
  });
});
