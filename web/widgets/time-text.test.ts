import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localTimeText, utcText, fromLocalInput, toLocalInput } from './time-text.ts';

const NOON = new Date(2026, 7, 5, 12).getTime() / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;

describe('localTimeText', () => {
  it('is as short as possible while unambiguous', () => {
    assert.match(localTimeText(NOON - 2 * HOUR, NOON), /^10:00$/);
    assert.match(localTimeText(NOON - DAY, NOON), /^\p{L}+\.? 12:00$/u);
    assert.match(localTimeText(NOON - 20 * DAY, NOON), /\d.* 12:00$/);
    assert.match(localTimeText(NOON - 400 * DAY, NOON), /2025/);
  });
});

describe('utcText', () => {
  it('shows UTC, and a time beyond the calendar as its number', () => {
    assert.equal(utcText(Date.UTC(2026, 7, 4, 6, 0, 12) / 1000), '2026-08-04 06:00:12 UTC');
    assert.equal(utcText(Infinity), 'Infinity');
    assert.equal(utcText(1e15), '1000000000000000');
  });

  it('goes to a field for a time and back, to the minute', () => {
    const at = Date.UTC(2026, 7, 5, 12, 34) / 1000;
    assert.match(toLocalInput(at), /^2026-08-0\dT\d\d:34$/);
    assert.equal(fromLocalInput(toLocalInput(at)), at);
    assert.equal(fromLocalInput('soon'), undefined);
  });
});
