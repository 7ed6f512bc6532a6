import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { readPile } from './read-pile.ts';
import { momentInPath } from './order-snapshots.ts';

/** A list of goroutines, which has no time in it. */
const DUMP = encodeText('goroutine 1 [select]:\nmain.f(0x1)\n\t/a/m.go:7 +0x1\n');
const EPOCH = 1_794_770_000;

type Given = readonly [path: string, argument: number, mtimeSeconds: number | undefined];

async function orderOf(...given: readonly Given[]): Promise<string[]> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, argument, after] of given) {
      const mtimeSeconds = after === undefined ? undefined : EPOCH + after;
      yield { kind: 'member', path, bytes: DUMP, argument, mtimeSeconds, damage: undefined };
    }
  }
  return (await readPile(items())).snapshots.map(({ path }) => path);
}

describe('undated snapshots', () => {
  it('are in the order given, whatever the times of their files', async () => {
    assert.deepEqual(await orderOf(['x/b.txt', 0, 900], ['x/a.txt', 1, 100]), ['x/b.txt', 'x/a.txt']);
    assert.deepEqual(await orderOf(['v1/g.txt', 0, 900], ['v0/g.txt', 1, 100]), ['v1/g.txt', 'v0/g.txt']);
    assert.deepEqual(await orderOf(['x/b.txt', 0, undefined], ['x/a.txt', 1, 100]), ['x/b.txt', 'x/a.txt']);
  });

  it('are in the order of the moments that their paths name', async () => {
    for (const [before, after] of [
      [0, 1],
      [1, 0],
      [0, 0],
    ] as const) {
      const order = await orderOf(['before/g.txt', before, 900], ['after/g.txt', after, 100]);
      assert.deepEqual(order, ['before/g.txt', 'after/g.txt']);
    }
    assert.deepEqual(await orderOf(['x/after/g.txt', 0, 100], ['x/before/g.txt', 0, 900]), [
      'x/before/g.txt',
      'x/after/g.txt',
    ]);
    assert.deepEqual(await orderOf(['x/dump-10.txt', 0, 5], ['x/dump-2.txt', 0, 9]), ['x/dump-2.txt', 'x/dump-10.txt']);
  });

  it('of one folder are in the order of the times of their files, if nothing else tells', async () => {
    assert.deepEqual(await orderOf(['x/a.txt', 0, 900], ['x/b.txt', 0, 100]), ['x/b.txt', 'x/a.txt']);
    // One of them names no moment.
    assert.deepEqual(await orderOf(['x/before.txt', 0, 900], ['x/b.txt', 0, 100]), ['x/b.txt', 'x/before.txt']);
  });

  it('come between those whose time is known as they were given', async () => {
    const [early, late] = [`x/g-${EPOCH + 100}.txt`, `x/g-${EPOCH + 5000}.txt`];
    assert.deepEqual(await orderOf([early, 0, 1], ['x/mid.txt', 1, 9000], [late, 2, 1]), [early, 'x/mid.txt', late]);
    // A time in the name counts more than the order given.
    assert.deepEqual(await orderOf([late, 0, 1], [early, 1, 1]), [early, late]);
    assert.deepEqual(await orderOf([late, 0, 1], [early, 0, 1], ['x/mid.txt', 0, 3000]), [early, 'x/mid.txt', late]);
  });
});

it('a path names a moment', () => {
  for (const [path, series, at] of [
    ['before/heap.pb.gz', 'before and after', 0],
    ['x/after-heap.txt', 'before and after', 1],
    ['go1.27/t3/goroutine.txt', 't', 3],
    ['dump-12.txt', 'dump', 12],
    ['run2/x.txt', 'run', 2],
  ] as const) {
    assert.deepEqual(momentInPath(path), { series, at }, path);
  }
  for (const path of ['heap.pb.gz', 'worker-17/heap.txt', 'sort1/x']) assert.equal(momentInPath(path), undefined, path);
});
