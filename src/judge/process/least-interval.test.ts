import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Growth } from '../growth/growth.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import { growthEvidence } from './family-evidence.ts';
import { weigh } from '../ledger/ledger.ts';

const growthOver = (seconds: number | undefined, [from, to] = [15, 37]): Growth =>
  ({
    family: { kind: 'goroutine' },
    from,
    to,
    delta: to - from,
    points: [0, 1].map(i => ({
      atSeconds: seconds === undefined ? undefined : 1000 + i * seconds,
      count: i,
      bytes: 0,
    })),
    why: 'grew from 105 to 1,011',
  }) as unknown as Growth;

describe('growth between profiles', () => {
  const verdictOn = (growth: Growth): string => weigh([growthEvidence(growth, WEIGHTS.growthSteady)]).verdict;

  it('is no verdict if they are seconds apart', () => {
    const close = growthEvidence(growthOver(3), WEIGHTS.growthSteady);
    assert.equal(weigh([close]).verdict, 'unknown');
    assert.match(close.sentence, /within 3 s: too close to tell growth from load$/);
  });

  it('is no verdict for a handful of goroutines', () => {
    assert.equal(verdictOn(growthOver(600, [0, 5])), 'unknown');
  });

  it('is worth watching from ten seconds on and without times, and never proves a leak by itself', () => {
    for (const seconds of [10, 60, 300, 86_400, undefined]) assert.equal(verdictOn(growthOver(seconds)), 'watch');
    assert.equal(verdictOn(growthOver(20, [105, 1011])), 'watch');
  });
});
