import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostOf } from './proof.ts';

const ENVELOPE = { burst: 4, hours: 2, days: 1.5 };

describe('the envelope of healthy rises', () => {
  it('has its values at its minutes, and the nearest one outside of them', () => {
    const at = [6, 70, 90, 1500, 2300, 3200].map(minutes => mostOf(ENVELOPE, minutes));
    [4, 4, 2, 2, 1.5, 1.5].forEach((most, i) => assert.ok(Math.abs(at[i] - most) < 1e-9, `${at[i]}`));
  });

  it('goes straight from one to the next in the logarithms', () => {
    assert.ok(Math.abs(mostOf(ENVELOPE, Math.sqrt(70 * 90)) - Math.sqrt(4 * 2)) < 1e-9);
    assert.ok(Math.abs(mostOf(ENVELOPE, Math.sqrt(1500 * 2300)) - Math.sqrt(2 * 1.5)) < 1e-9);
  });
});
