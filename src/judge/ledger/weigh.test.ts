import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Evidence, weigh } from './ledger.ts';
import { WEIGHTS } from './weights.ts';

const one = (logOdds: number, shows: string): Evidence => ({
  kind: 'metric-trend',
  logOdds,
  shows,
  sentence: `${shows} ${logOdds}`,
});

describe('the ledger', () => {
  it('is unknown without evidence', () => {
    assert.equal(weigh([]).verdict, 'unknown');
  });

  it('is leak for proof, watch for suspicion, and healthy for evidence against', () => {
    assert.equal(weigh([one(WEIGHTS.growthProved, 'growth')]).verdict, 'leak');
    assert.equal(weigh([one(WEIGHTS.runtimeLeak, 'runtime')]).verdict, 'leak');
    assert.equal(weigh([one(WEIGHTS.growthSeen, 'growth')]).verdict, 'watch');
    assert.equal(weigh([one(WEIGHTS.trendFlat, 'trend')]).verdict, 'healthy');
    assert.equal(weigh([one(0.5, 'level')]).verdict, 'unknown');
  });

  it('adds up independent evidence: two profiles, a rising live heap and a known bug are a leak', () => {
    const seen = one(WEIGHTS.growthSeen, 'growth');
    const rise = one(WEIGHTS.trendRising, 'trend');
    assert.equal(weigh([seen, rise]).verdict, 'watch');
    assert.equal(weigh([seen, rise, one(WEIGHTS.knownLeak, 'known')]).verdict, 'leak');
  });

  it('counts two views of one thing once', () => {
    const { verdict, entries } = weigh([one(3.5, 'trend'), one(3, 'trend'), one(1, 'level')]);
    assert.equal(verdict, 'watch');
    assert.deepEqual(
      entries.map(({ counted }) => counted),
      [true, false, true],
    );
  });

  it('is never leak with a veto', () => {
    const veto = { kind: 'density', sentence: 'pods explain it' } as const;
    assert.equal(weigh([one(20, 'growth')], [veto]).verdict, 'watch');
  });

  it('is surer with evidence for, less sure with evidence against, in any order', () => {
    const evidence = fc.array(
      fc.record({ logOdds: fc.double({ min: -12, max: 12, noNaN: true }), shows: fc.string() }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(evidence, fc.double({ min: 0, max: 5, noNaN: true }), (all, more) => {
        const listed = all.map(({ logOdds, shows }) => one(logOdds, shows));
        const base = weigh(listed).probability;
        assert.ok(weigh([...listed, one(more, 'something new')]).probability >= base);
        assert.ok(weigh([...listed, one(-more, 'something new')]).probability <= base);
        assert.ok(Math.abs(weigh([...listed].reverse()).probability - base) < 1e-9 || hasTies(listed));
      }),
    );
  });
});

/** If two show the same thing with the same weight, either may count. */
function hasTies(evidence: readonly Evidence[]): boolean {
  const sizes = evidence.map(({ shows, logOdds }) => `${shows}\0${Math.abs(logOdds)}`);
  return new Set(sizes).size < sizes.length;
}
