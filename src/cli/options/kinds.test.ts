import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseByteSize, parseDuration, parseTime } from './kinds.ts';

describe('option values', () => {
  it('reads durations', () => {
    const given = ['6h', '90s', '1d12h', '1.5h', '0h', '6', 'h', '-6h', '6 h', '1e3s'];
    const expected = [21_600, 90, 129_600, 5400, undefined, undefined, undefined, undefined, undefined, undefined];
    assert.deepEqual(given.map(parseDuration), expected);
  });

  it('reads sizes', () => {
    const given = ['536870912', '512Mi', '2G', '1.5GiB', '3k', '0', '-1', '2g', 'Mi', '1e9'];
    const expected = [536870912, 512 * 2 ** 20, 2e9, 1.5 * 2 ** 30, 3000, undefined, undefined, undefined, undefined];
    assert.deepEqual(given.map(parseByteSize), [...expected, undefined]);
  });

  it('reads times, in UTC unless they say otherwise', () => {
    const six = Date.UTC(2026, 7, 4, 6) / 1000;
    for (const text of ['2026-08-04T06:00Z', '2026-08-04 06:00', '2026-08-04T08:00:00+02:00', String(six)]) {
      assert.equal(parseTime(text), six, text);
    }
    assert.equal(parseTime('2026-08-04'), six - 6 * 3600);
    for (const text of ['yesterday', '2026-13-04', '06:00', '2026-08-04T6', '17', '']) {
      assert.equal(parseTime(text), undefined, text);
    }
  });
});
