/** The owner of a family: from its labels if it has them, else inferred from its functions. */
import type { Family, LabelledCount } from './family.ts';
import { packageOf } from '../go-name/normalise.ts';
import { OWNER_RULES } from './owner-rules.ts';
import { isSharedPackage } from './shared-packages.ts';

export interface Owner {
  readonly name: string;
  /** Inferred from the code, not stated by a label. */
  readonly inferred: boolean;
}

/** The label that names a controller, in kcp and in programs that follow it. */
const CONTROLLER_LABEL = 'controller';

/**
 * A `controller` label on most of the family's goroutines states who started them; everything else is inferred.
 * Creators help if all frames of a stack are in shared packages (`wait.JitterUntil`).
 */
export function ownerOf(
  family: Family,
  labelSets: readonly LabelledCount[] = [],
  creators: ReadonlyMap<string, number> = new Map(),
): Owner {
  const told = toldController(labelSets);
  if (told !== undefined) return { name: told, inferred: false };
  // Owned frames first: a shared package says less than the code that uses it, or that started it.
  const owned = family.frames.filter(isOwned);
  const starters = owned.length > 0 ? [] : mainCreator(creators).filter(isOwned);
  for (const frames of [owned, starters, owned.length > 0 ? [] : family.frames]) {
    const name = ruledOwner(frames);
    if (name !== undefined) return { name, inferred: true };
  }
  const path = starters.length > 0 ? packageOf(starters[0]) : family.ownerPackage;
  return { name: path === '' ? 'unknown' : path, inferred: true };
}

/** The function that started most of them; many starters with a few each mean nothing. */
function mainCreator(creators: ReadonlyMap<string, number>): string[] {
  const total = [...creators.values()].reduce((sum, count) => sum + count, 0);
  return [...creators].filter(([, count]) => count * 2 > total).map(([name]) => name);
}

function isOwned(frame: string): boolean {
  return !isSharedPackage(packageOf(frame));
}

/** The first rule that matches any of the frames. */
function ruledOwner(frames: readonly string[]): string | undefined {
  for (const { frames: pattern, owner } of OWNER_RULES) {
    for (const frame of frames) {
      const match = pattern.exec(frame);
      if (match !== null) return owner.replace('$1', match[1] ?? '');
    }
  }
  return undefined;
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

/** Index of the frame that leads the title of a family. */
export function leadingFrame(frames: readonly string[]): number {
  return ownerIndex(frames.map(frame => !isOwned(frame)));
}

/** Index of the frame that owns a path, leaf first: the first one outside shared packages, else the outermost. */
export function ownerIndex(frames: ArrayLike<boolean>): number {
  for (let i = 0; i < frames.length; i++) if (!frames[i]) return i;
  return frames.length - 1;
}
