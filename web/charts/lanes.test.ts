import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { groupOverlapping } from './lanes.tsx';

describe('groupOverlapping', () => {
  it('groups items that would overlap, in time order', () => {
    const groups = groupOverlapping([{ at: 95 }, { at: 10 }, { at: 11 }, { at: 300 }], [0, 100], 200, 20);
    assert.deepEqual(groups, [
      { x: 20, first: { at: 10 }, items: [{ at: 10 }, { at: 11 }] },
      { x: 190, first: { at: 95 }, items: [{ at: 95 }] },
    ]);
  });

  it('keeps every item within the range, and no groups overlap', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.integer({ min: 0, max: 1000 }) })), items => {
        const groups = groupOverlapping(items, [0, 1000], 640, 20);
        assert.equal(groups.flatMap(group => group.items).length, items.length);
        let previous = -Infinity;
        for (const { x } of groups) {
          assert.ok(x - previous >= 20);
          previous = x;
        }
      }),
    );
  });
});
