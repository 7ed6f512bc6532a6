import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ledger } from '../../src/judge/ledger/ledger.ts';
import { ledgerReasons } from './ledger.tsx';

const LEDGER: Ledger = {
  verdict: 'watch',
  probability: 0.9999999,
  claims: { stays: 0.9, unbounded: 0.9, unwanted: 0.1 },
  entries: [
    {
      kind: 'profile-growth',
      claims: ['stays'],
      logOdds: 8,
      shows: 'growth',
      sentence: 'grew',
      strength: 'proof',
      counted: true,
    },
    {
      kind: 'metric-trend',
      claims: ['stays'],
      logOdds: -4,
      shows: 'trend',
      sentence: 'is flat',
      strength: 'strong',
      counted: true,
    },
    {
      kind: 'metric-trend',
      claims: ['stays'],
      logOdds: 1,
      shows: 'trend',
      sentence: 'rises',
      strength: 'moderate',
      counted: false,
    },
  ],
  vetoes: [{ kind: 'density', sentence: 'pods explain it' }],
};

describe('a ledger on a page', () => {
  it('lists what counts with its weight, then the vetoes', () => {
    assert.deepEqual(ledgerReasons(LEDGER), [
      '+8.0 (proof) grew',
      '-4.0 (strong) is flat',
      'at most watch: pods explain it',
    ]);
    assert.deepEqual(ledgerReasons(undefined), [], 'of an older finding');
  });
});
