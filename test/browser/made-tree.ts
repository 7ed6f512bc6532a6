/** Trees for tests, from folded stacks: `['main;serve', 3]`; a third value is the one before. */
import fc from 'fast-check';
import { type CallTree, FrameTable } from '../../web/profiles/call-tree.ts';
import { layOut, type WidthOf } from '../../web/profiles/lay-out.ts';
import { TreeBuilder } from '../../web/profiles/sandwich.ts';

export type MadeStack = readonly [stack: string, after: number, before?: number];

export function madeTree(stacks: readonly MadeStack[], widthOf: WidthOf = 'after'): CallTree {
  const table = new FrameTable();
  const builder = new TreeBuilder();
  let hasBefore = false;
  for (const [stack, after, before] of stacks) {
    let node = 0;
    for (const name of stack.split(';')) node = builder.child(node, table.intern(name, `${name}.go`));
    builder.add(node, after);
    if (before !== undefined) builder.add(node, before, 'before');
    hasBefore ||= before !== undefined;
  }
  return layOut(builder.finish(), { frames: table.finish(), hasBefore, widthOf });
}

/** Few names, so that stacks share prefixes and recurse. */
export const stacksArbitrary: fc.Arbitrary<MadeStack[]> = fc.array(
  fc
    .tuple(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 50 }),
    )
    .map(([names, after, before]): MadeStack => [names.join(';'), after, before]),
  { minLength: 1, maxLength: 40 },
);
