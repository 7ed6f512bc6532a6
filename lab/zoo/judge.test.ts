import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countOf, countRules, isWrong, type Verdict } from './judge.ts';
import type { Truth } from './members.ts';

describe('isWrong', () => {
  const cases: [Truth, Verdict[], Verdict[]][] = [
    ['leak', ['leak', 'watch'], ['healthy', 'unknown', 'error']],
    ['healthy', ['healthy', 'watch', 'unknown'], ['leak', 'error']],
    ['grows with its input', ['healthy', 'watch', 'unknown'], ['leak', 'error']],
    // It has leaked, and it does not any more: either can be said.
    ['stopped', ['leak', 'watch', 'unknown', 'healthy'], ['error']],
  ];
  for (const [truth, right, wrong] of cases) {
    it(`knows what may be said of ${truth}`, () => {
      assert.deepEqual(
        right.filter(verdict => isWrong({ truth, verdict })),
        [],
      );
      assert.deepEqual(
        wrong.filter(verdict => !isWrong({ truth, verdict })),
        [],
      );
    });
  }
});

describe('countOf', () => {
  it('counts verdicts of leaks and of the healthy apart, and the stopped with neither', () => {
    const count = countOf([
      { truth: 'leak', verdict: 'leak' },
      { truth: 'leak', verdict: 'healthy' },
      { truth: 'healthy', verdict: 'leak' },
      { truth: 'grows with its input', verdict: 'watch' },
      { truth: 'stopped', verdict: 'leak' },
    ]);
    assert.deepEqual([count.leaks, count.healthy, count.wrong], [2, 2, 2]);
    assert.deepEqual(count.leaksSaid, { leak: 1, watch: 0, unknown: 0, healthy: 1, error: 0 });
    assert.deepEqual(count.healthySaid, { leak: 1, watch: 1, unknown: 0, healthy: 0, error: 0 });
  });
});

describe('countRules', () => {
  it('counts a leak without data as missed, and no alert on it as right', () => {
    const rule = 'go_goroutines > 1000';
    const counts = countRules([
      { truth: 'leak', alerts: { [rule]: true } },
      { truth: 'leak', alerts: { [rule]: false } },
      { truth: 'leak', alerts: {} },
      { truth: 'healthy', alerts: { [rule]: true } },
      { truth: 'healthy', alerts: {} },
      { truth: 'stopped', alerts: { [rule]: true } },
    ]);
    const count = counts.find(one => one.rule === rule);
    assert.deepEqual(count, { rule, leaksFound: 1, leaksMissed: 2, falseAlerts: 1, blind: 2 });
  });
});
