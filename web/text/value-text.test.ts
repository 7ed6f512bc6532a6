import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeText, keepUnits, shareText, valueText } from './value-text.ts';

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
