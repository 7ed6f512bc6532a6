import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Levels } from './levels.ts';

describe('levels', () => {
  it('are means of the bins, null where nothing was seen', () => {
    const levels = new Levels();
    for (let at = 0; at < 7200; at += 60) levels.add(at, { go_goroutines: at < 3600 ? 100 : 200 });
    levels.add(6 * 3600, { go_goroutines: 300 });
    assert.deepEqual(levels.spark('goroutines', 0, 3600, 7), [100, 200, null, null, null, null, 300]);
    assert.deepEqual(levels.spark('goroutines', 3000, 600, 3), [100, 200, 200]);
    assert.deepEqual(levels.spark('threads', 0, 3600, 2), [null, null]);
  });

  it('forget old values and survive a clock that jumps', () => {
    const levels = new Levels();
    levels.add(0, { go_goroutines: 1 });
    levels.add(30 * 86_400, { go_goroutines: 2 });
    levels.add(86_400, { go_goroutines: 4 });
    assert.deepEqual(levels.spark('goroutines', 0, 3600, 1), [null]);
    assert.deepEqual(levels.spark('goroutines', 30 * 86_400, 3600, 1), [3]);
  });

  it('are kept to what a sparkline can show, whatever their size', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e15, noNaN: true }), level => {
        const levels = new Levels();
        levels.add(0, { go_gc_heap_live_bytes: level });
        const [kept] = levels.spark('live heap', 0, 3600, 1);
        assert.ok(Math.abs((kept ?? NaN) - level) <= Math.max(1 / 16, level / 4000), `${kept} of ${level}`);
      }),
    );
    const levels = new Levels();
    levels.add(0, { go_goroutines: 486, process_open_fds: 1e300, go_threads: -3 });
    const first = (['goroutines', 'file descriptors', 'threads'] as const).map(one => levels.spark(one, 0, 3600, 1)[0]);
    assert.deepEqual([first[0], Number.isFinite(first[1]), first[2]], [486, true, 0]);
  });

  it('of one resource are not those of another', () => {
    const levels = new Levels();
    for (let hour = 0; hour < 400; hour++)
      levels.add(hour * 3600, { go_goroutines: 1, go_threads: 2, process_open_fds: 3 });
    const from = 64 * 3600;
    const all = (['goroutines', 'threads', 'file descriptors', 'stacks'] as const).map(
      one => new Set(levels.spark(one, from, 3600, 336)),
    );
    assert.deepEqual(all, [new Set([1]), new Set([2]), new Set([3]), new Set([null])]);
  });
});
