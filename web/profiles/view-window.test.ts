import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { madeTree, stacksArbitrary } from '../../test/browser/made-tree.ts';
import { heaviestLeaf, nameOf } from './call-tree.ts';
import {
  clampWindow,
  interpolate,
  panBy,
  parseWindow,
  reveal,
  spanOf,
  type Step,
  stepFrom,
  type ViewWindow,
  WHOLE,
  windowOf,
  windowText,
  zoomAround,
} from './view-window.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const window = fc
  .tuple(share, fc.double({ min: 1e-8, max: 1, noNaN: true }))
  .map(([left, span]) => clampWindow({ left, right: left + span }));

function isInside({ left, right }: ViewWindow): boolean {
  return left >= 0 && right <= 1 + 1e-12 && right > left;
}

it('zooming and panning stay within the tree', () => {
  const factor = fc.double({ min: 1e-4, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(window, factor, share, fc.double({ min: -5, max: 5, noNaN: true }), (shown, by, at, shift) => {
      assert.ok(isInside(zoomAround(shown, by, at)));
      assert.ok(isInside(panBy(shown, shift)));
      assert.ok(Math.abs(spanOf(panBy(shown, shift)) - spanOf(shown)) < 1e-9, 'panning keeps the span');
    }),
  );
});

it('zooming keeps the point under the pointer in place', () => {
  fc.assert(
    fc.property(window, fc.double({ min: 0.1, max: 1, noNaN: true }), share, (shown, by, at) => {
      const place = shown.left + at * spanOf(shown);
      const next = zoomAround(shown, by, at);
      assert.ok(Math.abs(next.left + at * spanOf(next) - place) < 1e-9);
    }),
  );
});

it('an animation starts at one window and ends at the other', () => {
  fc.assert(
    fc.property(window, window, (from, to) => {
      for (const [at, wanted] of [
        [0, from],
        [1, to],
      ] as const) {
        const shown = interpolate(from, to, at);
        assert.ok(Math.abs(shown.left - wanted.left) < 1e-6 && Math.abs(shown.right - wanted.right) < 1e-6);
      }
    }),
  );
});

it('round-trips through the address', () => {
  fc.assert(
    fc.property(window, shown => {
      const read = parseWindow(windowText(shown));
      assert.ok(read !== undefined);
      assert.ok(Math.abs(read.left - shown.left) < 1e-8 && Math.abs(read.right - shown.right) < 1e-8);
    }),
  );
  for (const text of ['', 'x', '0.2', '0.5~0.2', '-1~2', '0~1~2', 'NaN~1', '0.2~0.2']) {
    assert.equal(parseWindow(text), undefined, text);
  }
});

it('reveals a frame with the smallest move', () => {
  const tree = madeTree([
    ['a', 90],
    ['b', 10],
  ]);
  assert.equal(reveal(tree, 2, WHOLE), WHOLE);
  assert.deepEqual(windowOf(tree, 1), { left: 0, right: 0.9 });
  const moved = reveal(tree, 2, { left: 0.1, right: 0.3 });
  assert.ok(moved.left < tree.x[2] + tree.width[2] && moved.right > tree.x[2]);
  assert.ok(Math.abs(spanOf(moved) - 0.2) < 1e-9);
});

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
