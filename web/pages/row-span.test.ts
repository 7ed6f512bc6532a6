import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FIRST_SPAN, nextSpan, overlaps, type RowSpan } from './use-fleet.ts';

describe('nextSpan', () => {
  it('stays while there are rows ahead, and moves before they run out', () => {
    assert.equal(nextSpan(FIRST_SPAN, 0, 50, 100_000), FIRST_SPAN);
    assert.equal(nextSpan(FIRST_SPAN, 100, 150, 100_000), FIRST_SPAN);
    assert.deepEqual(nextSpan(FIRST_SPAN, 140, 190, 100_000), { offset: 80, limit: 200 });
    assert.deepEqual(nextSpan({ offset: 80, limit: 200 }, 90, 140, 100_000), { offset: 20, limit: 200 });
    assert.deepEqual(nextSpan(FIRST_SPAN, 50_000, 50_050, 100_000), { offset: 49_940, limit: 200 });
  });

  it('asks for no more than there is', () => {
    assert.equal(nextSpan(FIRST_SPAN, 150, 190, 190), FIRST_SPAN);
    assert.equal(nextSpan(FIRST_SPAN, 0, 7, 7), FIRST_SPAN);
  });

  it('always has the rows on the screen, and settles at once', () => {
    const span = fc.record({ offset: fc.nat(200_000), limit: fc.integer({ min: 1, max: 2000 }) });
    fc.assert(
      fc.property(span, fc.nat(100_000), fc.integer({ min: 1, max: 400 }), (now: RowSpan, first, height) => {
        const last = first + height;
        const next = nextSpan(now, first, last, 100_500);
        assert.ok(next.offset <= first && next.offset + next.limit >= last);
        assert.equal(nextSpan(next, first, last, 100_500), next);
        assert.ok(overlaps(next, first, last));
      }),
    );
  });
});
