import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { amountText, changeText, keepUnits, limitText, shareText, slopeText, valueText } from './value-text.ts';

it('values have a unit and three digits', () => {
  assert.equal(valueText(19_922_944, 'bytes'), '19 MiB');
  assert.equal(valueText(44_310, 'count'), '44,310');
  assert.equal(valueText(12_400_000_000, 'nanoseconds'), '12.4 s');
  assert.equal(valueText(1_500_000, 'nanoseconds'), '1.5 ms');
  assert.equal(valueText(0, 'nanoseconds'), '0 s');
  assert.equal(valueText(7, 'widgets'), '7 widgets');
});

it('changes have a sign', () => {
  assert.deepEqual(
    [0, 5, -5].map(change => changeText(change, 'count')),
    ['±0', '+5', '-5'],
  );
});

it('shares are percentages', () => {
  assert.deepEqual(
    [0, 0.0001, 0.042, 0.5, 1].map(part => shareText(part, 1)),
    ['0 %', '<0.1 %', '4.2 %', '50 %', '100 %'],
  );
});

it('keeps numbers and units on one line', () => {
  assert.equal(keepUnits('19 MiB (48 %) in 5 min'), '19\u00a0MiB (48\u00a0%) in 5\u00a0min');
});

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
