import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary, type MadeStack } from '../../test/browser/made-tree.ts';
import { functionTotals } from './function-totals.ts';

const RECURSIVE: readonly MadeStack[] = [
  ['main;walk;walk;read', 4],
  ['main;walk', 2],
  ['idle;read', 1],
];

/** As pprof counts: flat for the stacks that end in the function, cum for those that contain it. */
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
