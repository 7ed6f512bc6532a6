import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explanation } from '../detect/detection.ts';
import type { Verdict } from '../verdict.ts';
import { type Detected, weighDetected, weighWith } from './metric-evidence.ts';
import { WEIGHTS } from './weights.ts';
import { weigh } from './ledger.ts';

const detected = (verdict: Verdict, explanation?: Explanation): Detected => ({
  resource: 'goroutines',
  verdict,
  explanation,
  reasons: ['goroutines +1,800/h over 34m'],
});

const capture = (logOdds: number) =>
  weigh([
    {
      kind: 'profile-growth',
      claims: ['stays', 'unbounded'],
      logOdds,
      shows: 'growth between profiles',
      sentence: 'grew',
    },
  ]);

describe('the history of a metric in the ledger', () => {
  it('gives the verdict of the detector if nothing else is known', () => {
    for (const verdict of ['leak', 'watch', 'healthy', 'unknown'] as const)
      assert.equal(weighDetected(detected(verdict)).verdict, verdict);
    assert.equal(weighDetected(detected('unknown', 'unproved')).verdict, 'unknown');
    assert.equal(weighDetected(detected('watch', 'hung peer')).verdict, 'watch');
  });

  it('proves together with a capture what neither proves alone', () => {
    const alone = weigh([
      { kind: 'wait', claims: ['stays', 'unwanted'], logOdds: WEIGHTS.heldLock, shows: 'wait', sentence: 'a lock' },
      { kind: 'known-leak', claims: ['unwanted'], logOdds: WEIGHTS.knownLeak, shows: 'known leak', sentence: 'known' },
    ]);
    assert.equal(alone.verdict, 'watch');
    assert.equal(weighWith(alone, detected('watch')).verdict, 'leak');
    // Unless something else explains the rise.
    assert.equal(weighWith(alone, detected('watch', 'density')).verdict, 'watch');
  });

  it('does not speak against what a capture shows to have begun since', () => {
    assert.equal(weighWith(capture(WEIGHTS.perOperation), detected('healthy')).verdict, 'leak');
    assert.equal(weighWith(capture(WEIGHTS.perOperation), detected('watch', 'hung peer')).verdict, 'leak');
  });

  it('stands against a capture of minutes in which nothing grew', () => {
    assert.equal(weighWith(capture(WEIGHTS.cameBack), detected('leak')).verdict, 'leak');
    assert.equal(weighWith(capture(WEIGHTS.cameBack), detected('watch')).verdict, 'watch');
  });

  it('clears what a capture has no opinion about', () => {
    assert.equal(weighWith(weigh([]), detected('healthy')).verdict, 'healthy');
  });

  it('is not held up by profiles of one collection', () => {
    const veto = { kind: 'same-collection', sentence: 'both profiles show one collection' } as const;
    assert.equal(weighWith(weigh([], [veto]), detected('leak')).verdict, 'leak');
  });

  it('counts the trend once, whoever measured it', () => {
    const trend = weigh([
      {
        kind: 'metric-trend',
        claims: ['stays'],
        logOdds: WEIGHTS.trendRising,
        shows: 'trend of goroutines',
        sentence: 'rose in the capture',
      },
    ]);
    assert.equal(weighWith(trend, detected('watch')).verdict, 'watch');
  });
});
