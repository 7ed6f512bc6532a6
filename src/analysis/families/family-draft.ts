/** Families while an input is read: takes stacks, returns family numbers; then counts, as a table. */
import type { Family, FamilyCount, FamilyTable } from '../../model/family.ts';
import { familyId } from './family-id.ts';
import { frameKind, FrameInterner } from './frame-interner.ts';
import { packageOf } from '../../model/go-name/normalise.ts';
import { ownerIndex } from './owner.ts';
import { shownReason, stackKey } from './stack-key.ts';
import { goroutineTitle, shortName } from './title.ts';

/** The counts of one goroutine family. */
export type GoroutineCounts = Omit<FamilyCount, 'family' | 'bytes' | 'samples' | 'bytesError' | 'sites'>;

export class GoroutineFamilies {
  readonly interner: FrameInterner = new FrameInterner();
  /** By family: its key, the wait reason in its first stack, and that stack's number. */
  readonly keys: (readonly number[])[] = [];
  readonly reasons: string[] = [];
  readonly exampleStacks: number[] = [];
  private readonly byKey = new Map<string, number>();

  get length(): number {
    return this.keys.length;
  }

  /** The family of a stack given as frame ids, leaf first. */
  familyOf(ids: ArrayLike<number>, stack: number): number {
    const key = stackKey(this.interner, ids);
    const text = key.join(' ');
    let family = this.byKey.get(text);
    if (family === undefined) {
      family = this.keys.length;
      this.byKey.set(text, family);
      this.keys.push(key);
      this.reasons.push(shownReason(this.interner, ids, key));
      this.exampleStacks.push(stack);
    }
    return family;
  }

  /** By family. */
  ids(): string[] {
    return this.keys.map(key => familyId('goroutine', namesOf(this.interner, key)));
  }

  finish(countsOf: (family: number) => GoroutineCounts): FamilyTable {
    const counts: FamilyCount[] = [];
    let total = 0;
    for (let i = 0; i < this.length; i++) {
      const counted = countsOf(i);
      total += counted.count;
      counts.push({
        family: this.family(i, counted.states),
        bytes: 0,
        samples: 0,
        bytesError: 0,
        sites: [],
        ...counted,
      });
    }
    return { kind: 'goroutine', total, counts: counts.sort(bySize) };
  }

  private family(index: number, states: ReadonlyMap<string, number>): Family {
    const { interner } = this;
    const key = this.keys[index];
    const frames = namesOf(interner, key);
    const at = ownerIndex(key.map(id => interner.shared[id]));
    const isOperation = interner.kinds[key[0]] === frameKind.sync || interner.reasons[key[0]] !== '';
    const inner = at > 0 && !isOperation ? shortName(frames[0]) : '';
    return {
      id: familyId('goroutine', frames),
      kind: 'goroutine',
      frames,
      title: goroutineTitle(frames[at], mostOften(states) ?? (isOperation && at > 0 ? shortName(frames[0]) : inner)),
      ownerPackage: packageOf(frames[at]),
    };
  }
}

function namesOf(interner: FrameInterner, ids: readonly number[]): string[] {
  return ids.map(id => interner.names[id]);
}

/** Largest first; ties go by id, so that the order does not depend on the input's. */
export function bySize(a: FamilyCount, b: FamilyCount): number {
  const [x, y] = a.family.kind === 'heap' ? [a.bytes, b.bytes] : [a.count, b.count];
  return y - x || (a.family.id < b.family.id ? -1 : 1);
}

function mostOften(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  for (const [name, count] of counts) {
    const least = best === undefined ? -Infinity : counts.get(best)!;
    if (count > least || (count === least && name < best!)) best = name;
  }
  return best;
}

/** For values with counts, in ascending order. A goroutine without a number has waited less than a minute. */
export function waitOf(minutes: readonly (readonly [value: number, count: number])[]): GoroutineCounts['waitMinutes'] {
  const printed = minutes.filter(([value, count]) => value > 0 && count > 0);
  if (printed.length === 0) return undefined;
  const half = minutes.reduce((sum, [, count]) => sum + count, 0) / 2;
  let below = 0;
  for (const [value, count] of minutes) {
    below += count;
    if (below >= half) return { median: value, max: printed[printed.length - 1][0] };
  }
  return undefined;
}
