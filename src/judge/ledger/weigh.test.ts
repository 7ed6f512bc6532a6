import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Evidence, weigh } from './ledger.ts';
import { type Claim, WEIGHTS } from './weights.ts';

const one = (logOdds: number, shows: string, claims: readonly Claim[] = ['stays', 'unbounded']): Evidence => ({
  kind: 'metric-trend',
  claims,
  logOdds,
  shows,
  sentence: `${shows} ${logOdds}`,
});

describe('the ledger', () => {
  it('is unknown without evidence', () => {
    assert.equal(weigh([]).verdict, 'unknown');
  });

  it('is leak for proof, watch for suspicion, and healthy for evidence against', () => {
    assert.equal(weigh([one(WEIGHTS.trendProved, 'trend')]).verdict, 'leak');
    assert.equal(weigh([one(WEIGHTS.runtimeLeak, 'runtime', ['stays', 'unwanted'])]).verdict, 'leak');
    assert.equal(weigh([one(WEIGHTS.growthSeen, 'growth', ['stays'])]).verdict, 'watch');
    assert.equal(weigh([one(WEIGHTS.trendFlat, 'trend', ['stays'])]).verdict, 'healthy');
    assert.equal(weigh([one(0.5, 'level', ['stays'])]).verdict, 'unknown');
  });

  it('needs a reason beyond growth: what stays may fill, and what has no use may go', () => {
    const stays = [
      one(WEIGHTS.growthSteady, 'growth', ['stays']),
      one(WEIGHTS.survivors, 'survivors', ['stays']),
      one(WEIGHTS.trendRising, 'trend', ['stays']),
    ];
    assert.equal(weigh(stays).verdict, 'watch');
    const reasons = [
      one(WEIGHTS.knownLeak, 'known', ['unwanted']),
      one(WEIGHTS.endsByCall, 'lifetime', ['unwanted']),
      one(WEIGHTS.neverWoken, 'wait', ['unwanted']),
      one(WEIGHTS.perOperation, 'operations', ['unbounded']),
    ];
    for (const reason of reasons) {
      assert.equal(weigh([...stays, reason]).verdict, 'leak', reason.shows);
      assert.equal(weigh([reason]).verdict, 'unknown', reason.shows);
    }
  });

  it('lets nothing outweigh that they leave', () => {
    const left = one(WEIGHTS.left, 'survivors', ['stays']);
    const rises = [one(WEIGHTS.growthSteady, 'growth', ['stays']), one(WEIGHTS.trendRising, 'trend', ['stays'])];
    assert.equal(weigh([...rises, left, one(WEIGHTS.neverWoken, 'wait', ['unwanted'])]).verdict, 'healthy');
  });

  it('counts two views of one thing once', () => {
    const { verdict, entries } = weigh([one(2, 'trend'), one(1.5, 'trend'), one(1, 'level')]);
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
