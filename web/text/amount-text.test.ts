import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { amountText, limitText, slopeText } from './amount-text.ts';

describe('amounts as text', () => {
  it('have a unit and three digits', () => {
    assert.equal(amountText('bytes', 121_634_816), '116 MiB');
    assert.equal(amountText('count', 44_310.4), '44,310');
    assert.equal(amountText('seconds', 1.234), '1.23 s');
    assert.equal(amountText('bytes', null), '–');
  });

  it('show the sign of a slope, but never -0', () => {
    assert.equal(slopeText('bytes', 796_918), '+778 KiB/h');
    assert.equal(slopeText('count', -3), '-3/h');
    assert.equal(slopeText('count', -0.001), '0/h');
    assert.equal(slopeText('count', null), '–');
  });

  it('show the time to a limit as an interval', () => {
    assert.equal(limitText([15, 26]), '15h–1d2h');
    assert.equal(limitText([96, null]), '4d or more');
    assert.equal(limitText([2, 2]), '2h');
    assert.equal(limitText(null), '–');
  });
});
