import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { eachInSlices, sortedInSlices } from './bounded-work.ts';

describe('work in slices', () => {
  it('sorts as toSorted does, equal items in their order', async () => {
    const items = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat()), { maxLength: 80 });
    const byFirst = ([a]: readonly [number, number], [b]: readonly [number, number]): number => a - b;
    await fc.assert(
      fc.asyncProperty(items, fc.integer({ min: 1, max: 30 }), async (list, slice) => {
        assert.deepEqual(await sortedInSlices(list, byFirst, slice), list.toSorted(byFirst));
      }),
    );
  });

  it('lets other work run in between', async () => {
    const seen: (number | string)[] = [];
    setImmediate(() => seen.push('other'));
    await eachInSlices([1, 2, 3, 4, 5], 2, item => seen.push(item));
    assert.deepEqual(seen, [1, 2, 'other', 3, 4, 5]);
    let turns = 0;
    let isSorting = true;
    const turn = (): void => void (isSorting && (turns++, setImmediate(turn)));
    turn();
    await sortedInSlices([5, 3, 4, 1, 2], (a, b) => a - b, 2);
    isSorting = false;
    assert.ok(turns > 3, `${turns} turns while it sorted`);
  });
});
