import { familyId } from '../../src/analysis/families/family-id.ts';
import { FrameBook } from '../../src/analysis/families/frame-book.ts';
import { allocationPath } from '../../src/analysis/families/heap-families.ts';
import { stackKey } from '../../src/analysis/families/stack-key.ts';
import type { FamilyKind } from '../../src/model/family.ts';
import type { StackFrame } from '../text/stack-text.ts';

/** The id of a stack's family, the same as in every report. `frames` must reach down to the innermost call. */
export function stackFamilyId(kind: FamilyKind, frames: readonly StackFrame[]): string {
  const book = new FrameBook();
  const ids = frames.map(({ name, place }) => book.idOf(name, place.replace(/:\d+$/, '')));
  const key = kind === 'heap' ? allocationPath(book, ids).key : stackKey(book, ids);
  return familyId(
    kind,
    key.map(id => book.names[id] ?? ''),
  );
}
