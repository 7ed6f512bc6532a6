import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeHeap, type HeapPoint } from './significance.ts';

const MIB = 1024 ** 2;

/** A profile every five minutes; each sample stands for half a MiB. */
function points(...mebibytes: number[]): HeapPoint[] {
  return mebibytes.map((size, i) => ({
    atSeconds: i * 300,
    bytes: size * MIB,
    samples: size * 2,
    allocatedSamples: 50 + i * 250,
  }));
}

describe('judgeHeap', () => {
  it('takes a cache that filled once for a step, although samples of it scatter', () => {
    const { significant, why } = judgeHeap(points(3, 18, 19.5, 15), false, 3.5 * MIB);
    assert.equal(significant, false);
    assert.match(why, /^rose once, from 3 MiB to 18 MiB, and stayed for 3 snapshots: a step/);
  });

  it('does not where it rises further, or fell by more than sampling does', () => {
    assert.equal(judgeHeap(points(3, 18, 19.5, 24), false, 3.5 * MIB).significant, true);
    assert.doesNotMatch(judgeHeap(points(3, 40, 38, 20), false, 3.5 * MIB).why, /a step/);
  });
});
