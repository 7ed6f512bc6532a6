import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaptureView, TargetView } from '../../../src/model/watch.ts';
import { comparable, readSelection, toggled } from './target-selection.ts';

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

describe('what is chosen', () => {
  it('is two captures, the earlier one first', () => {
    const { a, b } = read('a=two&b=one');
    assert.deepEqual([a?.id, b?.id], ['one', 'two']);
    assert.deepEqual([read('b=two').a?.id, read('b=two').b], ['two', undefined]);
    assert.equal(read('a=gone').a, undefined);
  });

  it('is the captures nearest to the ends of a brushed time', () => {
    const { a, b, brush } = read('brush=90,260');
    assert.deepEqual([a?.id, b?.id, brush], ['one', 'three', [90, 260]]);
    assert.equal(read('brush=90,110').b, undefined);
    assert.equal(read('brush=260,90').brush, undefined);
    assert.equal(read('brush=x').brush, undefined);
  });

  it('goes from one to two, drops the older at a third, and lets go', () => {
    assert.deepEqual(toggled(read(''), 'one'), { a: 'one', b: null, brush: null });
    assert.deepEqual(toggled(read('a=one'), 'two'), { a: 'one', b: 'two', brush: null });
    assert.deepEqual(toggled(read('a=one&b=two'), 'three'), { a: 'two', b: 'three', brush: null });
    assert.deepEqual(toggled(read('a=one&b=two'), 'one'), { a: 'two', b: null, brush: null });
  });

  it('compares what both hold, that of the worst resource first', () => {
    assert.deepEqual(comparable(read('a=one&b=two'), VIEW), [
      { kind: 'heap', url: '/compare?a=one-heap&b=two-heap' },
      { kind: 'goroutine', url: '/compare?a=one-goroutine&b=two-goroutine' },
    ]);
    assert.deepEqual(
      comparable(read('a=two&b=three'), VIEW).map(({ kind }) => kind),
      ['goroutine'],
    );
    assert.deepEqual(comparable(read('a=one'), VIEW), []);
  });
});
