import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Evidence, weigh } from '../judge/ledger/ledger.ts';
import { ledgerLines } from './analysis-document.ts';

const evidence = (logOdds: number, shows: string): Evidence => ({
  kind: 'metric-trend',
  claims: ['stays'],
  logOdds,
  shows,
  sentence: `what ${shows} shows`,
});

describe('the evidence behind a verdict, as text', () => {
  it('lists the strongest first, whichever way it speaks, and what counts only once', () => {
    const ledger = weigh([
      evidence(1, 'a level'),
      evidence(-4, 'a trend'),
      evidence(8, 'growth'),
      evidence(3, 'growth'),
    ]);
    assert.deepEqual(ledgerLines(ledger), [
      '9.1 % sure that it leaks: 98.2 % that it stays, 7.6 % that it has no bound, 1.8 % that nothing will use it',
      '+8.0  strong    stays: what growth shows',
      '-4.0  strong    stays: what a trend shows',
      '  =   (shows the same) what growth shows',
      '+1.0  moderate  stays: what a level shows',
    ]);
  });

  it('names vetoes, and says nothing without evidence', () => {
    const veto = { kind: 'density', sentence: 'more pods explain it' } as const;
    assert.equal(ledgerLines(weigh([evidence(9, 'growth')], [veto])).at(-1), 'veto  more pods explain it');
    assert.deepEqual(ledgerLines(weigh([])), []);
  });

  it('shows control characters of foreign names as text', () => {
    const hostile = { ...evidence(8, 'x'), sentence: 'a\u001b[31mb' };
    assert.match(ledgerLines(weigh([hostile])).join(), /a\\x1b\[31mb/);
  });
});
