import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary } from '../../test/browser/made-tree.ts';
import { nameOf } from './call-tree.ts';
import { clampWindow, WHOLE, frameAt, visibleFrames } from './view-window.ts';

interface Block {
  readonly node: number;
  readonly left: number;
  readonly right: number;
  readonly merged: boolean;
}

function blocksOf(
  ...args: [Parameters<typeof visibleFrames>[0], { left: number; right: number }, number, number]
): Block[] {
  const blocks: Block[] = [];
  visibleFrames(...args, (node, left, right, merged) => blocks.push({ node, left, right, merged }));
  return blocks;
}

const window = fc
  .tuple(fc.double({ min: 0, max: 0.9, noNaN: true }), fc.double({ min: 1e-6, max: 1, noNaN: true }))
  .map(([left, span]) => clampWindow({ left, right: left + span }));

describe('visibleFrames', () => {
  it('gives each frame its pixels', () => {
    const tree = madeTree([
      ['a', 3],
      ['b', 1],
    ]);
    assert.deepEqual(blocksOf(tree, WHOLE, 100, 1), [
      { node: 1, left: 0, right: 75, merged: false },
      { node: 2, left: 75, right: 100, merged: false },
    ]);
    assert.deepEqual(blocksOf(tree, { left: 0.75, right: 1 }, 100, 1), [
      { node: 2, left: 0, right: 100, merged: false },
    ]);
  });

  it('leaves out frames without a width', () => {
    const tree = madeTree([
      ['a;gone', 0, 1],
      ['b;c', 1, 0],
      ['a;d', 1, 0],
    ]);
    const shown = blocksOf(tree, WHOLE, 100, 2).map(({ node }) => nameOf(tree, node));
    assert.deepEqual(shown, ['d', 'c']);
  });

  it('draws a thousand frames of a tenth of a pixel as about a hundred blocks', () => {
    const tree = madeTree(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 1] as const));
    const blocks = blocksOf(tree, WHOLE, 100, 1);
    assert.ok(blocks.length >= 90 && blocks.length <= 110, String(blocks.length));
    assert.ok(blocks.every(({ merged }) => merged));
    assert.ok(blocks[blocks.length - 1].right >= 99.9, 'the last block reaches the edge');
  });

  it('never gives more blocks than twice the pixels, in order, covering every wide frame', () => {
    fc.assert(
      fc.property(stacksArbitrary, window, fc.integer({ min: 1, max: 60 }), (stacks, shown, pixels) => {
        const tree = madeTree(stacks);
        const scale = pixels / (shown.right - shown.left);
        for (let depth = 0; depth < tree.levelStart.length - 1; depth++) {
          const blocks = blocksOf(tree, shown, pixels, depth);
          assert.ok(blocks.length <= 2 * pixels + 2);
          for (let i = 1; i < blocks.length; i++) assert.ok(blocks[i].left > blocks[i - 1].left);
          for (const node of tree.levelNodes.subarray(tree.levelStart[depth], tree.levelStart[depth + 1])) {
            const [left, right] = [tree.x[node], tree.x[node] + tree.width[node]];
            const isSeen = right > shown.left && left < shown.right && (right - left) * scale >= 1.001;
            if (isSeen)
              assert.ok(
                blocks.some(block => block.node === node && !block.merged),
                nameOf(tree, node),
              );
          }
        }
      }),
    );
  });
});

describe('frameAt', () => {
  it('finds the frame that a wide block was drawn for', () => {
    fc.assert(
      fc.property(stacksArbitrary, window, (stacks, shown) => {
        const tree = madeTree(stacks);
        for (let depth = 0; depth < tree.levelStart.length - 1; depth++) {
          for (const { node, left, right, merged } of blocksOf(tree, shown, 200, depth)) {
            const [from, to] = [Math.max(left, 0), Math.min(right, 200)];
            if (!merged && to - from >= 4) assert.equal(frameAt(tree, shown, 200, depth, (from + to) / 2), node);
          }
        }
      }),
    );
  });

  it('is -1 between frames and outside the tree', () => {
    const tree = madeTree([
      ['a;b', 1],
      ['a', 9],
    ]);
    assert.equal(frameAt(tree, WHOLE, 100, 2, 50), -1);
    assert.equal(frameAt(tree, WHOLE, 100, -1, 50), -1);
    assert.equal(frameAt(tree, WHOLE, 100, 3, 0), -1);
    assert.equal(nameOf(tree, frameAt(tree, WHOLE, 100, 2, 5)), 'b');
  });
});
