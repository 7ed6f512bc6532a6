import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseStamp, resolveStamp, type StampContext } from './log-stamp.ts';

const AT = Date.UTC(2026, 10, 15, 7, 12, 25) / 1000;
const context: StampContext = { referenceSeconds: AT + 3600, bootSeconds: AT - 12345.5, utcOffsetSeconds: 0 };
const secondsOf = (text: string, more: Partial<StampContext> = {}): number | undefined =>
  resolveStamp(parseStamp(text), { ...context, ...more });

describe('stamps of log lines', () => {
  const forms = [
    '2026-11-15T07:12:25Z',
    '2026-11-15T08:12:25+01:00',
    '2026-11-15T02:12:25-0500',
    '2026-11-15 07:12:25 UTC',
    'Sun 2026-11-15 07:12:25 UTC',
    '1794726745.000000',
    'Sun Nov 15 07:12:25 2026',
    'Nov 15 07:12:25',
    'I1115 07:12:25.000000     123 kubelet.go:1] ',
    '2026/11/15 07:12:25',
    '   12345.500000',
  ];
  for (const text of forms) it(text, () => assert.equal(secondsOf(text), AT));

  it('fractions', () => {
    assert.equal(secondsOf('2026-11-15T07:12:25,250000+00:00'), AT + 0.25);
    assert.equal(secondsOf('Nov 15 07:12:25.250'), AT + 0.25);
  });

  it('the zone that a user names counts where the line tells none', () => {
    const utcOffsetSeconds = 7200;
    assert.equal(secondsOf('Nov 15 09:12:25', { utcOffsetSeconds }), AT);
    assert.equal(secondsOf('Sun Nov 15 09:12:25 2026', { utcOffsetSeconds }), AT);
    assert.equal(secondsOf('2026-11-15T07:12:25Z', { utcOffsetSeconds }), AT);
  });

  it('the year is the last one in which the day had come', () => {
    const january = Date.UTC(2027, 0, 2) / 1000;
    assert.equal(secondsOf('Nov 15 07:12:25', { referenceSeconds: january }), AT);
    assert.equal(secondsOf('Feb 29 00:00:00', { referenceSeconds: january }), Date.UTC(2024, 1, 29) / 1000);
  });

  it('without what it needs, no time', () => {
    assert.equal(secondsOf('Nov 15 07:12:25', { referenceSeconds: undefined }), undefined);
    assert.equal(secondsOf('12345.500000', { bootSeconds: undefined }), undefined);
    for (const text of ['', 'yesterday', 'Nov 31 07:12:25', '2026-13-01T00:00:00Z', 'Xyz 12 00:00:00'])
      assert.equal(secondsOf(text), undefined, text);
  });

  it('no text makes it fail', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const seconds = secondsOf(text);
        assert.ok(seconds === undefined || Number.isFinite(seconds));
      }),
    );
  });
});
