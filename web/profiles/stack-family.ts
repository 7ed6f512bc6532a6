import { familyId } from '../../src/analysis/families/family-id.ts';
import { FrameInterner } from '../../src/analysis/families/frame-interner.ts';
import { allocationPath } from '../../src/analysis/families/heap-families.ts';
import { stackKey } from '../../src/analysis/families/stack-key.ts';
import type { FamilyKind } from '../../src/model/family.ts';
import type { StackFrame } from '../text/stack-text.ts';

/** The id of a stack's family, the same as in every report. `frames` must reach down to the innermost call. */
export function stackFamilyId(kind: FamilyKind, frames: readonly StackFrame[]): string {
  const interner = new FrameInterner();
  const ids = frames.map(({ name, place }) => interner.idOf(name, place.replace(/:\d+$/, '')));
  const key = kind === 'heap' ? allocationPath(interner, ids).key : stackKey(interner, ids);
  return familyId(
    kind,
    key.map(id => interner.names[id] ?? ''),
  );
}
