import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary, type MadeStack } from '../../test/browser/made-tree.ts';
import { nodeAlong, type CallTree } from './call-tree.ts';
import { functionTotals, frameFigures, frameSentence } from './function-totals.ts';
import { sandwichOf } from './sandwich.ts';
import { biggestChange, changeColours, CHANGE_STEPS, changeStep } from './palette.ts';

/** A cache that grew by 14 of 15 in all, while `old` shrank by 2. */
const GROWN: readonly MadeStack[] = [
  ['main;sync;cache;add', 12, 1],
  ['main;sync;cache', 4, 1],
  ['main;poll', 5, 2],
  ['old', 1, 3],
];

const figuresAt = (tree: CallTree, path: string): Record<string, string> =>
  Object.fromEntries(frameFigures(tree, nodeAlong(tree, path.split(';')), 'count'));

function halvesOf(tree: CallTree, name: string): readonly Record<string, string>[] {
  const { callers, callees, own } = sandwichOf(tree, tree.frames.names.indexOf(name));
  assert.ok(own !== undefined);
  return [
    Object.fromEntries(frameFigures(callers, 1, 'count', { side: 'callers', own })),
    Object.fromEntries(frameFigures(callees, 1, 'count', { side: 'callees', own })),
  ];
}

describe('the figures of a sandwich', () => {
  it('give the share of the whole change, not of the function', () => {
    const [callers, callees] = halvesOf(madeTree(GROWN), 'cache');
    assert.deepEqual(callers, { change: '+14', 'before → after': '2 → 16', 'share of change': '93 %', self: '+3' });
    assert.deepEqual(callees, callers);
  });

  it('give the share of the whole profile, and one self value above and below', () => {
    const tree = madeTree(GROWN.map(([stack, after]) => [stack, after]));
    const [callers, callees] = halvesOf(tree, 'cache');
    assert.deepEqual(callers, { total: '16 (73 %)', self: '4 (18 %)' });
    assert.deepEqual(callees, callers);
  });

  it('give callers no self value, and their share of the function', () => {
    const tree = madeTree([
      ['a;f', 3],
      ['b;f', 1],
      ['b', 12],
    ]);
    const { callers, own } = sandwichOf(tree, tree.frames.names.indexOf('f'));
    const half = { side: 'callers', own: own! } as const;
    const b = nodeAlong(callers, ['f', 'b']);
    assert.equal(frameSentence(callers, b, 'count', half), 'b: total 1 (6.3 %), share of function 25 %; row 3');
  });

  it('agree with the table of functions, however stacks recurse', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const tree = madeTree(stacks);
        for (const { frame, flat, flatBefore, cum, cumBefore } of functionTotals(tree)) {
          const { callers, callees, own } = sandwichOf(tree, frame);
          assert.deepEqual([own?.flat, own?.flatBefore], [flat, flatBefore]);
          for (const half of [callers, callees]) {
            assert.deepEqual(half.whole, tree.whole);
            assert.deepEqual([half.total[1], half.before?.total[1]], [cum, cumBefore]);
          }
        }
      }),
    );
  });

  it('have the colours of the legend, which belongs to the whole tree', () => {
    const tree = madeTree(GROWN);
    const { callers } = sandwichOf(tree, tree.frames.names.indexOf('poll'));
    const colour = changeColours(callers, biggestChange(tree))[1];
    assert.equal(colour, changeStep(3, 17));
    assert.ok(colour < CHANGE_STEPS, 'a small change is pale, even in a sandwich of its own');
  });
});

describe('the figures of a difference', () => {
  it('have the sign of what shrank while the whole grew', () => {
    assert.equal(figuresAt(madeTree(GROWN), 'old')['share of change'], '−13 %');
    assert.equal(figuresAt(madeTree(GROWN), 'main;poll')['share of change'], '20 %');
  });

  it('have the sign of what grew while the whole shrank', () => {
    const tree = madeTree(GROWN.map(([stack, after, before]) => [stack, before ?? 0, after]));
    assert.equal(figuresAt(tree, 'old')['share of change'], '−13 %');
    assert.equal(figuresAt(tree, 'main;poll')['share of change'], '20 %');
  });
});
