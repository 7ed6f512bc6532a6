import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nameOf, type CallTree } from './call-tree.ts';
import { groupStacks, type StackList } from './group-stacks.ts';
import { layOut, nthSmallest } from './lay-out.ts';
import { TreeBuilder } from './sandwich.ts';

interface MadeStack {
  readonly frames: readonly number[];
  readonly line: number;
  readonly value: number;
  readonly isBefore: boolean;
}

const FRAMES = 5;
const LINES = 4;

const stacksArbitrary: fc.Arbitrary<MadeStack[]> = fc.array(
  fc.record({
    frames: fc.array(fc.nat(FRAMES - 1), { maxLength: 8 }),
    line: fc.nat(LINES - 1),
    value: fc.integer({ min: -20, max: 50 }),
    isBefore: fc.boolean(),
  }),
  { maxLength: 60 },
);

/** A step for each frame at each line. */
function listOf(stacks: readonly MadeStack[]): StackList {
  const sides = [...stacks.filter(({ isBefore }) => !isBefore), ...stacks.filter(({ isBefore }) => isBefore)];
  const table = Array.from({ length: FRAMES * LINES }, (_, step) => step);
  const start: number[] = [];
  const steps: number[] = [];
  for (const { frames, line } of sides) {
    start.push(steps.length);
    steps.push(...frames.map(frame => frame * LINES + line), table.length);
  }
  return {
    start: Uint32Array.from(start),
    steps: Uint16Array.from(steps),
    frames: Uint32Array.from(table, step => Math.floor(step / LINES)),
    lines: Uint32Array.from(table, step => step % LINES),
    values: Float64Array.from(sides, ({ value }) => value),
    firstBefore: stacks.filter(({ isBefore }) => !isBefore).length,
    frameCount: FRAMES,
  };
}

function oneByOne(stacks: readonly MadeStack[]): TreeBuilder {
  const builder = new TreeBuilder();
  for (const isBefore of [false, true]) {
    for (const { frames, line, value } of stacks.filter(stack => stack.isBefore === isBefore)) {
      let node = 0;
      for (const frame of frames) {
        node = builder.child(node, frame);
        builder.addLines(node, line, line);
      }
      builder.add(node, value, isBefore ? 'before' : 'after');
    }
  }
  return builder;
}

const names = Array.from({ length: FRAMES }, (_, frame) => `f${frame}`);
const OPTIONS = {
  frames: { names, files: names, isLabel: new Uint8Array(FRAMES) },
  hasBefore: true,
  widthOf: 'larger',
} as const;

function rows(tree: CallTree): string[] {
  return Array.from({ length: tree.length }, (_, node) =>
    [
      '.'.repeat(tree.depth[node]) + nameOf(tree, node),
      tree.self[node],
      tree.total[node],
      tree.before?.self[node],
      `${tree.firstLine[node]}-${tree.lastLine[node]}`,
    ].join(' '),
  );
}

describe('groupStacks', () => {
  it('makes the tree that adding one stack after the other makes', () => {
    fc.assert(
      fc.property(stacksArbitrary, stacks => {
        const grouped = layOut(groupStacks(listOf(stacks)), OPTIONS);
        assert.deepEqual(rows(grouped), rows(layOut(oneByOne(stacks).finish(), OPTIONS)));
      }),
      { numRuns: 300 },
    );
  });

  it('outgrows its first columns', () => {
    const deep: MadeStack = {
      frames: Array.from({ length: 3000 }, (_, i) => i % FRAMES),
      line: 1,
      value: 7,
      isBefore: false,
    };
    const { length, after } = groupStacks(listOf([deep, { ...deep, isBefore: true, value: 2 }]));
    assert.deepEqual([length, after.at(-1), after.length], [3001, 7, 3001]);
  });
});

it('nthSmallest finds what sorting would', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 40 }), { minLength: 1, maxLength: 200 }),
      fc.nat(199),
      (list, at) => {
        const values = Float64Array.from(list);
        const index = at % list.length;
        assert.equal(nthSmallest(values, index), values.toSorted()[index]);
        assert.deepEqual([...values], list, 'leaves the values as they are');
      },
    ),
  );
});
