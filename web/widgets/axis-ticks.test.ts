import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { axisTicks } from './time-text.ts';

const NOON = new Date(2026, 7, 5, 12).getTime() / 1000;
const DAY = 24 * 3600;

describe('axisTicks', () => {
  it('stay within the range, in order, about as many as asked for', () => {
    const seconds = fc.integer({ min: 120, max: 366 * DAY });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 12 }), (span, maxTicks) => {
        const ticks = axisTicks(NOON, NOON + span, maxTicks);
        assert.ok(ticks.length <= maxTicks + 1);
        let previous = -Infinity;
        for (const { at } of ticks) {
          assert.ok(at >= NOON && at <= NOON + span);
          assert.ok(at > previous);
          previous = at;
        }
      }),
    );
  });

  it('fall on local midnights when the range spans days', () => {
    const ticks = axisTicks(NOON, NOON + 3 * DAY, 4);
    assert.deepEqual(
      ticks.map(({ at }) => new Date(at * 1000).getHours()),
      [0, 0, 0],
    );
  });
});
