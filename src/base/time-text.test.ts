import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exactTimeText, isInCalendar, timeText, toMinute } from './say.ts';

describe('times', () => {
  it('are RFC 3339 in UTC, cut to the second', () => {
    assert.equal(timeText(1_794_772_843), '2026-11-15T20:00:43Z');
    assert.equal(timeText(1_794_772_843.871), '2026-11-15T20:00:43Z');
    assert.equal(exactTimeText(1_794_772_843.871), '2026-11-15T20:00:43.871Z');
    assert.equal(exactTimeText(0), '1970-01-01T00:00:00.000Z');
  });

  it('do not lose a second to a rounding error', () => {
    assert.equal(timeText(1_794_772_842.999_999_8), '2026-11-15T20:00:43Z');
  });

  it('are printed as numbers outside the calendar', () => {
    for (const seconds of [1e20, -1e20, NaN, Infinity]) {
      assert.equal(timeText(seconds), `${seconds} s`);
      assert.equal(exactTimeText(seconds), `${seconds} s`);
      assert.equal(isInCalendar(seconds), false);
    }
  });

  it('reach to the end of the calendar', () => {
    assert.equal(timeText(8.64e12), '+275760-09-13T00:00:00Z');
    assert.equal(timeText(-8.64e12), '-271821-04-20T00:00:00Z');
  });

  it('are shortened to the minute', () => {
    assert.equal(toMinute(timeText(1_794_772_843)), '2026-11-15T20:00Z');
    assert.equal(toMinute(exactTimeText(1_794_772_843.871)), '2026-11-15T20:00Z');
    assert.equal(toMinute('1e+20 s'), '1e+20 s');
  });
});
