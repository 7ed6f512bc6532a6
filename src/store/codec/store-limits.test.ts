import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ClockState, isSteady, lookAtClock, NEW_CLOCK } from './store-limits.ts';

const DAY = 86_400;

function after(...times: readonly number[]): ClockState {
  return times.reduce(lookAtClock, NEW_CLOCK);
}

it('a clock is believed until it jumps, and again after an even day', () => {
  assert.ok(!isSteady(NEW_CLOCK));
  assert.ok(isSteady(after(1000, 1060, 1120)));
  assert.ok(isSteady(after(1000, 900)), 'a correction is no jump');
  const year = 365 * DAY;
  assert.ok(!isSteady(after(1000, year)));
  assert.ok(!isSteady(after(1000, year, 2000)), 'and back');
  assert.ok(!isSteady(after(1000, year, year + DAY / 2)));
  assert.ok(isSteady(after(1000, year, year + DAY / 2, year + DAY)));
});
