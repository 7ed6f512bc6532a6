import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary } from '../../test/browser/made-tree.ts';
import { heaviestLeaf, nameOf } from '../call-tree/call-tree.ts';
import { stepFrom, type Step } from './keyboard-steps.ts';

describe('stepFrom', () => {
  it('follows the arrow keys', () => {
    const tree = madeTree([
      ['main;walk;walk;read', 4],
      ['main;walk', 2],
      ['idle;read', 1],
    ]);
    const walk = (...steps: Step[]): string =>
      nameOf(
        tree,
        steps.reduce((at, step) => stepFrom(tree, at, step), 0),
      );
    assert.equal(walk('callee'), 'main');
    assert.equal(walk('callee', 'right'), 'idle');
    assert.equal(walk('callee', 'right', 'right'), 'idle', 'the last in its row');
    assert.equal(walk('callee', 'right', 'left'), 'main');
    assert.equal(walk('last'), 'read');
    assert.equal(walk('last', 'caller'), 'walk');
    assert.equal(walk('last', 'first'), 'all');
    assert.equal(walk('caller'), 'all');
  });

  it('undoes right with left, and reaches every node', () => {
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
