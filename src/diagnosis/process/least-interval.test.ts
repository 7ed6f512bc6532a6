import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Growth } from '../../model/growth.ts';
import { weigh } from '../ledger/weigh.ts';
import { WEIGHTS } from '../ledger/weights.ts';
import { growthEvidence } from './family-evidence.ts';

const growthOver = (seconds: number | undefined): Growth =>
  ({
    points: [0, 1].map(i => ({
      atSeconds: seconds === undefined ? undefined : 1000 + i * seconds,
      count: i,
      bytes: 0,
    })),
    why: 'grew from 105 to 1,011',
  }) as unknown as Growth;

describe('growth between profiles', () => {
  it('is no verdict if they are seconds apart', () => {
    const close = growthEvidence(growthOver(3), WEIGHTS.growthProved);
    assert.equal(weigh([close]).verdict, 'unknown');
    assert.match(close.sentence, /within 3 s: too close to tell growth from load$/);
  });

  it('counts in full from ten seconds on, and without times', () => {
    for (const seconds of [10, 300, undefined]) {
      const evidence = growthEvidence(growthOver(seconds), WEIGHTS.growthProved);
      assert.equal(weigh([evidence]).verdict, 'leak');
    }
  });
});
