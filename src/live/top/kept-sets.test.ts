import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KeptSet, withSet } from './create-top.ts';

describe('the sets that a verdict is made from', () => {
  it('are the first, the last and some about equally far apart', () => {
    let sets: KeptSet[] = [];
    for (let i = 0; i < 1000; i++) sets = withSet(sets, { atSeconds: i * 5, read: [] });
    const times = sets.map(({ atSeconds }) => atSeconds);
    assert.equal(times.length, 12);
    assert.deepEqual([times[0], times.at(-1)], [0, 4995]);
    const widest = Math.max(...times.slice(1).map((time, i) => time - times[i]));
    assert.ok(widest < 1000, times.join(' '));
  });
});
