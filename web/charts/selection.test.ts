import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaptureView, TargetView } from '../../src/watch/watch-model.ts';
import { comparisons, readSelection, toggleCapture } from './selection.ts';

function capture(id: string, at: number, kinds: readonly CaptureView['files'][number]['kind'][]): CaptureView {
  const files = kinds.map(kind => ({ kind, sha256: `${id}-${kind}`, bytes: 1, at, truncated: null }));
  return { id, target: 't', at, trigger: 'slope', reason: '', files };
}

const CAPTURES = [
  capture('one', 100, ['metrics', 'goroutine', 'heap']),
  capture('two', 200, ['metrics', 'goroutine', 'heap']),
  capture('three', 300, ['goroutine']),
];
const VIEW = { captures: CAPTURES, resources: [{ resource: 'live heap' }] } as unknown as TargetView;

const read = (query: string): ReturnType<typeof readSelection> => readSelection(new URLSearchParams(query), VIEW);

describe('the selection', () => {
  it('has two captures, the earlier one first', () => {
    const { a, b } = read('a=two&b=one');
    assert.deepEqual([a?.id, b?.id], ['one', 'two']);
    assert.deepEqual([read('b=two').a?.id, read('b=two').b], ['two', undefined]);
    assert.equal(read('a=gone').a, undefined);
  });

  it('has the captures nearest to the ends of a time range', () => {
    const { a, b, brush } = read('brush=90,260');
    assert.deepEqual([a?.id, b?.id, brush], ['one', 'three', [90, 260]]);
    assert.equal(read('brush=90,110').b, undefined);
    assert.equal(read('brush=260,90').brush, undefined);
    assert.equal(read('brush=x').brush, undefined);
  });

  it('takes a second capture, replaces the older one by a third, and deselects', () => {
    assert.deepEqual(toggleCapture(read(''), 'one'), { a: 'one', b: null, brush: null });
    assert.deepEqual(toggleCapture(read('a=one'), 'two'), { a: 'one', b: 'two', brush: null });
    assert.deepEqual(toggleCapture(read('a=one&b=two'), 'three'), { a: 'two', b: 'three', brush: null });
    assert.deepEqual(toggleCapture(read('a=one&b=two'), 'one'), { a: 'two', b: null, brush: null });
  });

  it('compares the kinds that both have, that of the worst resource first', () => {
    assert.deepEqual(comparisons(read('a=one&b=two'), VIEW), [
      { kind: 'heap', url: '/compare?a=one-heap&b=two-heap' },
      { kind: 'goroutine', url: '/compare?a=one-goroutine&b=two-goroutine' },
    ]);
    assert.deepEqual(
      comparisons(read('a=two&b=three'), VIEW).map(({ kind }) => kind),
      ['goroutine'],
    );
    assert.deepEqual(comparisons(read('a=one'), VIEW), []);
  });
});
