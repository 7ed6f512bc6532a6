import { GoroutineFamilies, familyId } from '../../src/profile/families/family-draft.ts';
import { allocationPath } from '../../src/profile/families/heap-families.ts';
import type { FamilyKind } from '../../src/profile/families/family.ts';
import { type CallTree, nodeAlong } from './call-tree.ts';
import { parseFrame, type StackFrame } from '../text/short-names.ts';

/** The id of a stack's family, the same as in every report. `frames` must reach down to the innermost call. */
export function stackFamilyId(kind: FamilyKind, frames: readonly StackFrame[]): string {
  const families = new GoroutineFamilies();
  const { interner } = families;
  const ids = frames.map(({ name, place }) => interner.idOf(name, place.replace(/:\d+$/, '')));
  if (kind === 'heap') {
    const { key } = allocationPath(interner, ids);
    return familyId(
      kind,
      key.map(id => interner.names[id] ?? ''),
    );
  }
  const family = families.familyOf(
    ids,
    frames.map(({ name }) => interner.closureOf(name)),
  );
  return families.ids()[family] ?? '';
}

/** The node at the end of a family's example stack, as far as the tree has it; -1 if it has none of it. */
export function nodeOfExample(tree: CallTree, example: readonly string[]): number {
  const names = example.map(line => parseFrame(line).name).reverse();
  const node = nodeAlong(tree, names);
  return node > 0 ? node : -1;
}
