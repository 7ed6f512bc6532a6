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

  it('is worth watching from ten seconds on, and proves a leak from a minute on, and without times', () => {
    for (const [seconds, verdict] of [
      [10, 'watch'],
      [59, 'watch'],
      [60, 'leak'],
      [300, 'leak'],
      [undefined, 'leak'],
    ] as const) {
      assert.equal(weigh([growthEvidence(growthOver(seconds), WEIGHTS.growthProved)]).verdict, verdict, `${seconds}`);
    }
  });

  it('proves a leak sooner if goroutines explode', () => {
    assert.equal(weigh([growthEvidence(growthOver(20, [105, 1011]), WEIGHTS.growthProved)]).verdict, 'leak');
    assert.equal(weigh([growthEvidence(growthOver(20, [800, 1011]), WEIGHTS.growthProved)]).verdict, 'watch');
  });
});
