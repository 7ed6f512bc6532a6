/** The owner of a family: from its labels if it has them, else inferred from its functions. */
import { isSharedFrame } from '../profile/families/shared-packages.ts';
import type { Family, LabelledCount } from '../profile/families/family.ts';
import { packageOf } from '../profile/families/normalise.ts';
import { OWNERS } from './bundled.ts';
import { matchName, parsePattern } from './frame-pattern.ts';

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
  const controller = toldController(labelSets);
  if (controller !== undefined) return { name: controller, inferred: false };
  // Owned frames first: a shared package says less than the code that uses it, or that started it.
  const owned = family.frames.filter(frame => !isSharedFrame(frame));
  const starters = owned.length > 0 ? [] : mainCreator(creators).filter(frame => !isSharedFrame(frame));
  for (const frames of [owned, starters, owned.length > 0 ? [] : family.frames]) {
    const name = ruledOwner(frames);
    if (name !== undefined) return { name, inferred: true };
  }
  const [starter] = starters;
  const path = starter === undefined ? family.ownerPackage : packageOf(starter);
  return { name: path === '' ? 'unknown' : path, inferred: true };
}

/** The function that started most of them; many starters with a few each mean nothing. */
function mainCreator(creators: ReadonlyMap<string, number>): string[] {
  const total = [...creators.values()].reduce((sum, count) => sum + count, 0);
  return [...creators].filter(([, count]) => count * 2 > total).map(([name]) => name);
}

const RULES = OWNERS.flatMap(({ owner, frames }, rank) =>
  frames.map(frame => ({ rank, owner, pattern: parsePattern(frame) })),
);

/** By the first rule that matches any of the frames, and by the first of these. */
function ruledOwner(frames: readonly string[]): string | undefined {
  let first = RULES.length;
  let found: string | undefined;
  for (const frame of frames) {
    for (const { rank, owner, pattern } of RULES) {
      if (rank >= first) break;
      const word = matchName(pattern, frame);
      if (word === undefined) continue;
      found = owner.replace('$1', word);
      first = rank;
    }
  }
  return found;
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
