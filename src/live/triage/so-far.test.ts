import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { TriageSoFar } from './triage.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Conclusion } from './conclude.ts';
import { soFar } from './run-triage.ts';

const EMPTY = { snapshots: [], viewGroups: [] } as unknown as Pile;

/** `said` by everything together, `shown` by the profiles of the sets. */
function after(set: number, said: Verdict, shown: Verdict, kinds: readonly string[] = ['heap']): TriageSoFar {
  const analysis = { verdict: shown, findings: [], inputs: kinds.map(kind => ({ kind })) } as unknown as Analysis;
  return soFar({ set, pile: EMPTY, analysis, conclusion: { verdict: said } as Conclusion });
}

describe('the answer after a set', () => {
  it('is final when the profiles prove a leak, or nothing grows', () => {
    assert.equal(after(1, 'leak', 'leak').isProved, true);
    assert.equal(after(3, 'healthy', 'healthy').isProved, true);
  });

  it('waits for a second set to name the code of a leak that only metrics prove', () => {
    assert.equal(after(1, 'leak', 'unknown').isProved, false);
    assert.equal(after(2, 'leak', 'unknown').isProved, true);
  });

  it('says what would decide while nothing is proved', () => {
    for (const verdict of ['watch', 'unknown'] as const) {
      const { isProved, decides } = after(2, verdict, verdict);
      assert.equal(isProved, false);
      assert.match(decides.join(), /^set 3: growth in every interval is a leak/);
    }
    assert.match(after(1, 'unknown', 'unknown', []).decides.join(), /no profile could be taken/);
  });
});
