import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { childWith, nameOf, nodeAlong, pathTo, type CallTree } from './call-tree.ts';
import { layOut } from './lay-out.ts';
import { madeTree, stacksArbitrary } from '../../test/browser/made-tree.ts';
import { TreeBuilder } from './sandwich.ts';

/** The rows of the drawing, each frame as `name@left+width` in whole percent. */
function drawn(tree: CallTree): string[] {
  return Array.from({ length: tree.levelStart.length - 1 }, (_, depth) =>
    [...tree.levelNodes.subarray(tree.levelStart[depth], tree.levelStart[depth + 1])]
      .map(node => `${nameOf(tree, node)}@${Math.round(tree.x[node] * 100)}+${Math.round(tree.width[node] * 100)}`)
      .join(' '),
  );
}

describe('layOut', () => {
  it('puts children side by side, the widest first, and leaves the self value at the right', () => {
    const tree = madeTree([
      ['main;poll', 1],
      ['main;serve', 6],
      ['main', 1],
      ['idle', 2],
    ]);
    assert.deepEqual(drawn(tree), ['all@0+100', 'main@0+80 idle@80+20', 'serve@0+60 poll@60+10']);
    assert.deepEqual([...tree.total], [10, 8, 6, 1, 2]);
    assert.deepEqual([...tree.self], [0, 1, 6, 1, 2]);
  });

  it('makes room for removed frames when asked to', () => {
    const stacks = [
      ['main;old', 0, 5],
      ['main;new', 5, 0],
    ] as const;
    assert.deepEqual(drawn(madeTree(stacks, 'after')), ['all@0+100', 'main@0+100', 'new@0+100 old@100+0']);
    assert.deepEqual(drawn(madeTree(stacks, 'larger')), ['all@0+100', 'main@0+100', 'old@0+50 new@50+50']);
  });

  it('leaves out the narrowest nodes of a large tree, and counts them', () => {
    const builder = new TreeBuilder();
    for (let frame = 0; frame < 100; frame++) builder.add(builder.child(0, frame), frame + 1);
    const frames = { names: Array.from({ length: 100 }, (_, i) => `f${i}`), files: [], isLabel: new Uint8Array(100) };
    const tree = layOut(builder.finish(), { frames, hasBefore: false, widthOf: 'after', maxNodes: 21 });
    assert.ok(tree.length <= 21, String(tree.length));
    assert.equal(tree.length - 1 + tree.droppedNodes, 100);
    assert.equal(nameOf(tree, 1), 'f99');
    assert.equal(tree.total[0], 5050, 'totals include what was left out');
  });

  it('keeps its invariants for any stacks', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const tree = madeTree(stacks, 'larger');
        for (let node = 1; node < tree.length; node++) {
          const above = tree.parent[node];
          assert.ok(above < node && node < tree.end[above], 'a node lies in its parent’s subtree');
          assert.equal(tree.depth[node], tree.depth[above] + 1);
          assert.ok(tree.x[node] >= tree.x[above] - 1e-9);
          assert.ok(tree.x[node] + tree.width[node] <= tree.x[above] + tree.width[above] + 1e-9, 'inside its parent');
        }
        for (let node = 0; node < tree.length; node++) {
          let children = 0;
          for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) children += tree.total[child];
          assert.ok(Math.abs(tree.total[node] - tree.self[node] - children) < 1e-6, 'totals add up');
        }
        for (let i = 1; i < tree.levelNodes.length; i++) {
          const [a, b] = [tree.levelNodes[i - 1], tree.levelNodes[i]];
          if (tree.depth[a] === tree.depth[b]) assert.ok(tree.x[a] + tree.width[a] <= tree.x[b] + 1e-9, 'no overlap');
        }
        const total = stacks.reduce((sum, [, after]) => sum + after, 0);
        assert.ok(Math.abs(tree.total[0] - total) < 1e-6);
      }),
    );
  });
});

it('finds a node by its path, and the path of a node', () => {
  const tree = madeTree([
    ['a;b;c', 3],
    ['a;d', 1],
  ]);
  const node = nodeAlong(tree, ['a', 'b', 'c']);
  assert.deepEqual(
    pathTo(tree, node).map(at => nameOf(tree, at)),
    ['a', 'b', 'c'],
  );
  assert.equal(nameOf(tree, nodeAlong(tree, ['a', 'x'])), 'a', 'as far as the tree has it');
  assert.equal(nodeAlong(tree, ['x']), 0);
  assert.equal(childWith(tree, 0, 99), -1);
});
