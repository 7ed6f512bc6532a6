import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary } from '../../test/browser/made-tree.ts';
import { nameOf } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import { sandwichOf } from './sandwich.ts';

describe('sandwichOf', () => {
  it('puts callers on one side and callees on the other', () => {
    const tree = madeTree([
      ['main;walk;walk;read', 4],
      ['main;walk', 2],
      ['idle;read', 1],
    ]);
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
          const { callers, callees } = sandwichOf(tree, frame);
          for (const half of [callers, callees]) {
            assert.equal(half.total[0], cum);
            assert.equal(half.before?.total[0], cumBefore);
          }
        }
      }),
    );
  });
});
