/** Who answers for a family: from its labels when it has them, else inferred from its functions. */
import type { Family, LabelledCount } from '../../model/family.ts';
import { packageOf } from './normalise-frame.ts';
import { OWNER_RULES } from './owner-rules.ts';
import { isPlumbing } from './plumbing.ts';

export interface Owner {
  readonly name: string;
  /** Concluded from the code, not told by a label. */
  readonly inferred: boolean;
}

/** The label that names a controller, in kcp and in whatever follows it. */
const CONTROLLER_LABEL = 'controller';

/**
 * A `controller` label that most of the family's goroutines carry is a statement, if only of who started them;
 * everything else is a conclusion.
 */
export function ownerOf(family: Family, labelSets: readonly LabelledCount[] = []): Owner {
  const told = toldController(labelSets);
  if (told !== undefined) return { name: told, inferred: false };
  // Owned frames first: plumbing at the leaf says less than the code that uses it.
  const owned = family.frames.filter(frame => !isPlumbing(packageOf(frame)));
  for (const { frames: pattern, owner } of OWNER_RULES) {
    for (const frame of owned.length > 0 ? owned : family.frames) {
      const match = pattern.exec(frame);
      if (match !== null) return { name: owner.replace('$1', match[1] ?? ''), inferred: true };
    }
  }
  return { name: family.ownerPackage === '' ? 'unknown' : family.ownerPackage, inferred: true };
}

function toldController(labelSets: readonly LabelledCount[]): string | undefined {
  const byName = new Map<string, number>();
  let total = 0;
  for (const { labels, count } of labelSets) {
    total += count;
    for (const [key, value] of labels) {
      if (key === CONTROLLER_LABEL) byName.set(value, (byName.get(value) ?? 0) + count);
    }
  }
  for (const [name, count] of byName) if (count * 2 > total) return name;
  return undefined;
}

/** Index of the frame that owns a path, leaf first: the first that is not plumbing, else the outermost. */
export function ownerIndex(frames: ArrayLike<boolean>): number {
  for (let i = 0; i < frames.length; i++) if (!frames[i]) return i;
  return frames.length - 1;
}
