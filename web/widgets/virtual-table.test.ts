import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { rowWindow } from './virtual-table.tsx';

describe('rowWindow', () => {
  it('covers the visible rows, and few more', () => {
    const sizes = fc.tuple(fc.integer({ min: -2000, max: 200_000 }), fc.integer({ min: 100, max: 2000 }));
    fc.assert(
      fc.property(sizes, fc.constantFrom(24, 56), fc.nat(5000), ([scrolled, viewHeight], rowHeight, count) => {
        const { first, last } = rowWindow(scrolled, viewHeight, rowHeight, count);
        assert.ok(0 <= first && first <= last && last <= count);
        assert.ok(last - first <= viewHeight / rowHeight + 40);
        const top = Math.max(0, Math.floor(scrolled / rowHeight));
        const bottom = Math.min(count, Math.ceil((scrolled + viewHeight) / rowHeight));
        if (top < bottom) assert.ok(first <= top && last >= bottom);
      }),
    );
  });
});
