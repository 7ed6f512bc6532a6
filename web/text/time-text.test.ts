import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { axisTicks, momentText, utcText } from './time-text.ts';

const NOON = new Date(2026, 7, 5, 12).getTime() / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;

describe('moments', () => {
  it('are as short as they stay clear', () => {
    assert.match(momentText(NOON - 2 * HOUR, NOON), /^10:00$/);
    assert.match(momentText(NOON - DAY, NOON), /^\p{L}+\.? 12:00$/u);
    assert.match(momentText(NOON - 20 * DAY, NOON), /\d.* 12:00$/);
    assert.match(momentText(NOON - 400 * DAY, NOON), /2025/);
  });

  it('have their UTC, also when there is no such day', () => {
    assert.equal(utcText(Date.UTC(2026, 7, 4, 6, 0, 12) / 1000), '2026-08-04 06:00:12 UTC');
    assert.equal(utcText(Infinity), 'Infinity');
    assert.equal(utcText(1e15), '1000000000000000');
  });
});

describe('axisTicks', () => {
  it('stand within the range, in order, about as many as asked for', () => {
    const seconds = fc.integer({ min: 120, max: 366 * DAY });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 12 }), (span, most) => {
        const ticks = axisTicks(NOON, NOON + span, most);
        assert.ok(ticks.length <= most + 1);
        for (const [i, { at }] of ticks.entries()) {
          assert.ok(at >= NOON && at <= NOON + span);
          assert.ok(i === 0 || at > ticks[i - 1].at);
        }
      }),
    );
  });

  it('stand on local midnights over days', () => {
    const ticks = axisTicks(NOON, NOON + 3 * DAY, 4);
    assert.deepEqual(
      ticks.map(({ at }) => new Date(at * 1000).getHours()),
      [0, 0, 0],
    );
  });
});
