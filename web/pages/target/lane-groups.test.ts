import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { gathered } from './lane-groups.ts';

describe('gathered', () => {
  it('gathers what would overlap, in time order', () => {
    const places = gathered([{ at: 95 }, { at: 10 }, { at: 11 }, { at: 300 }], [0, 100], 200, 20);
    assert.deepEqual(places, [
      { x: 20, items: [{ at: 10 }, { at: 11 }] },
      { x: 190, items: [{ at: 95 }] },
    ]);
  });

  it('loses nothing within the range, and lets nothing overlap', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.integer({ min: 0, max: 1000 }) })), items => {
        const places = gathered(items, [0, 1000], 640, 20);
        assert.equal(places.flatMap(place => place.items).length, items.length);
        for (const [i, { x }] of places.entries()) assert.ok(i === 0 || x - places[i - 1].x >= 20);
      }),
    );
  });
});
