/** Which cause a family has, and what ends it: the first in the order of the files of which it shows a sign. */
import type { Cause, CauseRecord, Lifetime, Sign } from './records.ts';
import type { ResourceSlug } from '../evidence/resource.ts';
import type { FamilyKind } from '../profile/families/family.ts';
import { CAUSES, LIFETIMES } from './bundled.ts';
import { leafOf, partsOf } from './frame-pattern.ts';

/** What is known about a family: a `FamilyCount` with the kind and frames of the family. */
export interface FamilyEvidence {
  readonly kind: FamilyKind;
  /** Normalised function names, leaf first. */
  readonly frames: readonly string[];
  /** Goroutines by wait reason; empty when unknown. */
  readonly states: ReadonlyMap<string, number>;
  /** Goroutines by normalised creator; empty when unknown. */
  readonly creators: ReadonlyMap<string, number>;
  readonly waitMinutes: { readonly median: number; readonly max: number } | undefined;
}

/** The causes by id, as they appear in an analysis. */
const PLAIN: ReadonlyMap<string, Cause> = new Map(CAUSES.map(record => [record.id, plain(record)]));

export function causeOf(family: FamilyEvidence): Cause | undefined {
  const record = recordOf(family);
  return record === undefined ? undefined : PLAIN.get(record.id);
}

export function isTiedToPods(family: FamilyEvidence): boolean {
  return recordOf(family)?.isTiedToPods === true;
}

/** What growth of a whole resource means that no profile explains; undefined for what profiles explain. */
export function causeOfResource(resource: ResourceSlug): Cause | undefined {
  const record = CAUSES.find(({ kind, signs }) => kind === resource && signs.length === 0);
  return record === undefined ? undefined : PLAIN.get(record.id);
}

export function causeById(id: string): Cause | undefined {
  return PLAIN.get(id);
}

const NEEDS_NOTHING = /^None\b/;

/** What to do about a family with this cause: about one that grows, never nothing. */
export function actionsOf({ id, act }: Cause, grows: boolean): readonly string[] {
  if (!grows) return act;
  return CAUSES.find(record => record.id === id)?.actIfGrows ?? act.filter(text => !NEEDS_NOTHING.test(text));
}

function plain({ id, title, meaning, check, act, avoid, benign }: CauseRecord): Cause {
  return { id, title, meaning, check, act, avoid, benign };
}

function recordOf(family: FamilyEvidence): CauseRecord | undefined {
  return firstShown(CAUSES, family);
}

/** What is known to end such a family: a call, or a bound; undefined of most code. */
export function lifetimeOf(family: FamilyEvidence): Lifetime | undefined {
  return firstShown(LIFETIMES, family);
}

function firstShown<T extends Pick<CauseRecord, 'kind' | 'signs'>>(
  records: readonly T[],
  family: FamilyEvidence,
): T | undefined {
  const parts = partsOfFamily(family);
  return records.find(({ kind, signs }) => kind === family.kind && signs.some(sign => shows(parts, family, sign)));
}

/** Every part of the stack that a sign may name. */
interface FamilyParts {
  readonly stack: ReadonlySet<string>;
  readonly leaf: ReadonlySet<string>;
  readonly creators: readonly { readonly parts: ReadonlySet<string>; readonly count: number }[];
}

function partsOfFamily({ frames, creators }: FamilyEvidence): FamilyParts {
  return {
    stack: partsOf(frames),
    leaf: partsOf([leafOf(frames)]),
    creators: Array.from(creators, ([name, count]) => ({ parts: partsOf([name]), count })),
  };
}

function shows({ stack, leaf, creators }: FamilyParts, family: FamilyEvidence, sign: Sign): boolean {
  if (sign.all !== undefined && !sign.all.every(pattern => stack.has(pattern))) return false;
  if (sign.any !== undefined && !sign.any.some(pattern => stack.has(pattern))) return false;
  if (sign.leaf !== undefined && !sign.leaf.some(pattern => leaf.has(pattern))) return false;
  if (sign.none?.some(pattern => stack.has(pattern)) === true) return false;
  const isStackTested = sign.all !== undefined || sign.any !== undefined || sign.leaf !== undefined;
  if (sign.uncreated === true && creators.length > 0) return false;
  if (sign.creators !== undefined && !mostly(creators, sign.creators)) return false;
  if (sign.states !== undefined) {
    const share = shareOf(family.states, sign.states);
    if (share === undefined ? !isStackTested : share < 0.5) return false;
  }
  return sign.waitMinutes === undefined || (family.waitMinutes?.max ?? -1) >= sign.waitMinutes;
}

function mostly(creators: FamilyParts['creators'], patterns: readonly string[]): boolean {
  let [total, hits] = [0, 0];
  for (const { parts, count } of creators) {
    total += count;
    if (patterns.some(pattern => parts.has(pattern))) hits += count;
  }
  return hits > 0 && hits * 2 >= total;
}

function shareOf(states: ReadonlyMap<string, number>, wanted: readonly string[]): number | undefined {
  let [total, hits] = [0, 0];
  for (const [state, count] of states) {
    total += count;
    if (wanted.includes(state)) hits += count;
  }
  return total === 0 ? undefined : hits / total;
}
