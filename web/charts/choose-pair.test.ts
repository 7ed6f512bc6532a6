import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaptureView } from '../../src/watch/watch-model.ts';
import { choosePair } from './choose-pair.ts';

function capture(at: number, sha256: string, kind: 'heap' | 'goroutine' = 'heap'): CaptureView {
  const files = [{ kind, sha256, bytes: 1, at, truncated: null }];
  return { id: `c-${at}`, target: 'node/a', at, trigger: 'slope', reason: '', files };
}

const LIVES = [
  { from: 0, to: 100 },
  { from: 110, to: null },
];
const chosen = (captures: readonly CaptureView[], epochs = LIVES): unknown => {
  const pair = choosePair(captures, epochs, 'heap');
  return pair === undefined ? undefined : [pair.a, pair.b];
};

describe('choosePair', () => {
  it('takes the first and the last of the latest life', () => {
    const captures = [capture(10, 'a'), capture(90, 'b'), capture(120, 'c'), capture(130, 'd'), capture(140, 'e')];
    assert.deepEqual(chosen(captures.toReversed()), ['c', 'e']);
  });

  it('takes those of an earlier life if the latest has only one, and never of two lives', () => {
    assert.deepEqual(chosen([capture(10, 'a'), capture(90, 'b'), capture(120, 'c')]), ['a', 'b']);
    assert.equal(chosen([capture(90, 'b'), capture(120, 'c')]), undefined);
  });

  it('skips captures with the same profile or without one', () => {
    assert.deepEqual(
      chosen([capture(120, 'c'), capture(125, 'x', 'goroutine'), capture(130, 'd'), capture(140, 'c')]),
      ['c', 'd'],
    );
    assert.equal(chosen([capture(120, 'c'), capture(140, 'c')]), undefined);
    assert.deepEqual(chosen([capture(1, 'a'), capture(2, 'b')], []), ['a', 'b']);
  });
});
