import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary, type MadeStack } from '../../test/browser/made-tree.ts';
import { nameOf } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import { sandwichOf } from './sandwich.ts';
import { heaviestLeaf, stepFrom, type Step } from '../flame/keyboard-steps.ts';

const RECURSIVE: readonly MadeStack[] = [
  ['main;walk;walk;read', 4],
  ['main;walk', 2],
  ['idle;read', 1],
];

/** As pprof counts: flat where a stack ends, cum once per stack. */
function counted(stacks: readonly MadeStack[], name: string): { flat: number; cum: number } {
  const sum = (is: (frames: string[]) => boolean): number =>
    stacks.reduce((total, [stack, after]) => total + (is(stack.split(';')) ? after : 0), 0);
  return { flat: sum(frames => frames.at(-1) === name), cum: sum(frames => frames.includes(name)) };
}

describe('functionTotals', () => {
  it('counts a stack once, however it recurses', () => {
    const tree = madeTree(RECURSIVE);
    const rows = functionTotals(tree).map(({ frame, flat, cum }) => [tree.frames.names[frame], flat, cum]);
    assert.deepEqual(rows, [
      ['read', 5, 5],
      ['walk', 2, 6],
      ['main', 0, 6],
      ['idle', 0, 1],
    ]);
  });

  it('agrees with counting stacks', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const tree = madeTree(stacks);
        for (const { frame, flat, cum, node } of functionTotals(tree)) {
          assert.deepEqual({ flat, cum }, counted(stacks, tree.frames.names[frame]));
          assert.equal(tree.frame[node], frame);
        }
      }),
    );
  });
});

describe('sandwichOf', () => {
  it('puts callers on one side and callees on the other', () => {
    const tree = madeTree(RECURSIVE);
    const { callers, callees } = sandwichOf(tree, tree.frames.names.indexOf('read'));
    const names = (half: typeof callers): string[] =>
      Array.from(
        { length: half.length },
        (_, node) => `${'.'.repeat(half.depth[node])}${nameOf(half, node)} ${half.total[node]}`,
      );
    assert.deepEqual(names(callers), ['all 5', '.read 5', '..walk 4', '...walk 4', '....main 4', '..idle 1']);
    assert.deepEqual(names(callees), ['all 5', '.read 5']);
  });

  it('has halves that both add up to cum', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const tree = madeTree(stacks);
        for (const { frame, cum, cumBefore } of functionTotals(tree)) {
          for (const half of Object.values(sandwichOf(tree, frame))) {
            assert.equal(half.total[0], cum);
            assert.equal(half.before.total[0], cumBefore);
          }
        }
      }),
    );
  });
});

describe('stepFrom', () => {
  it('walks the tree', () => {
    const tree = madeTree(RECURSIVE);
    const walk = (...steps: Step[]): string =>
      nameOf(
        tree,
        steps.reduce((at, step) => stepFrom(tree, at, step), 0),
      );
    assert.equal(walk('callee'), 'main');
    assert.equal(walk('callee', 'right'), 'idle');
    assert.equal(walk('callee', 'right', 'right'), 'idle', 'nothing further');
    assert.equal(walk('callee', 'right', 'left'), 'main');
    assert.equal(walk('last'), 'read');
    assert.equal(walk('last', 'caller'), 'walk');
    assert.equal(walk('last', 'first'), 'all');
    assert.equal(walk('caller'), 'all');
  });

  it('left undoes right, and every node can be reached', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const tree = madeTree(stacks);
        const seen = new Set([0]);
        for (let at = 0; ;) {
          for (let next = at; ;) {
            const right = stepFrom(tree, next, 'right');
            if (right === next) break;
            assert.equal(stepFrom(tree, right, 'left'), next);
            seen.add((next = right));
          }
          const row = tree.levelStart[tree.depth[at] + 1];
          if (row >= tree.length) break;
          seen.add((at = tree.levelNodes[row]));
        }
        assert.equal(seen.size, tree.length);
        assert.equal(tree.end[heaviestLeaf(tree, 0)], heaviestLeaf(tree, 0) + 1);
      }),
    );
  });
});
