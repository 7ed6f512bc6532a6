import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BoundedWork } from './bounded-work.ts';

describe('work that takes room', () => {
  it('never takes more than there is, begins in order, and all of it is done, also after failures', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.record({ size: fc.integer({ min: 0, max: 15 }), turns: fc.nat(3), fails: fc.boolean() })),
        async (room, items) => {
          const bounded = new BoundedWork(room);
          const begun: number[] = [];
          let [taken, atOnce] = [0, 0];
          const results = await Promise.allSettled(
            items.map(({ size, turns, fails }, i) =>
              bounded.do(size, async () => {
                begun.push(i);
                taken += Math.min(size, room);
                atOnce++;
                assert.ok(taken <= room);
                if (size > room) assert.equal(taken, room, 'nothing else that takes room');
                for (let turn = 0; turn < turns; turn++) await Promise.resolve();
                taken -= Math.min(size, room);
                atOnce--;
                if (fails) throw new Error('failed');
                return i;
              }),
            ),
          );
          assert.deepEqual(
            begun,
            items.map((_, i) => i),
          );
          assert.deepEqual(
            results.map(({ status }) => status),
            items.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
          );
          assert.deepEqual([taken, atOnce], [0, 0]);
        },
      ),
    );
  });
});
