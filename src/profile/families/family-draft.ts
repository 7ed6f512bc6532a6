/** Families while an input is read: takes stacks, returns family numbers; then counts, as a table; ids and titles. */
import type { Family, FamilyCount, FamilyTable, FamilyKind } from './family.ts';
import { frameKind, FrameInterner } from './frame-interner.ts';
import { packageOf, shortName } from './normalise.ts';
import { leadingIndex } from './shared-packages.ts';
import { shownReason, stackKey } from './stack-key.ts';

/** The counts of one goroutine family. */
export type GoroutineCounts = Omit<FamilyCount, 'family' | 'bytes' | 'samples' | 'bytesError' | 'sites'>;

export class GoroutineFamilies {
  readonly interner: FrameInterner = new FrameInterner();
  /** By family: its key, and the wait reason in its first stack. */
  readonly keys: (readonly number[])[] = [];
  readonly reasons: string[] = [];
  /** By family and function of its key: the path of the closure. */
  private readonly paths: (readonly string[])[] = [];
  private readonly byKey = new Map<string, number>();

  get length(): number {
    return this.keys.length;
  }

  /** The family of a stack given as frame ids, leaf first, and which closure each is. */
  familyOf(ids: ArrayLike<number>, closures: readonly string[]): number {
    const key = stackKey(this.interner, ids);
    // Closures of libraries change with their release, and with that of Go: only those of the program count.
    const paths = key.map(id => (this.interner.shared[id] ? '' : (closures[indexOf(ids, id)] ?? '')));
    const text = `${key.join(' ')} ${paths.map(telling).join(' ')}`;
    let family = this.byKey.get(text);
    if (family === undefined) {
      family = this.keys.length;
      this.byKey.set(text, family);
      this.keys.push(key);
      this.paths.push(paths);
      this.reasons.push(shownReason(this.interner, ids, key));
    } else {
      // A function and its first closure are one family, named after the closure, whichever comes first.
      this.paths[family] = this.paths[family].map((path, i) => (path === '' ? paths[i] : path));
    }
    return family;
  }

  /** By family. */
  ids(): string[] {
    return this.keys.map((_, i) => this.idOf(i));
  }

  private idOf(index: number): string {
    const names = namesOf(this.interner, this.keys[index]);
    const closures = this.closuresOf(index);
    return familyId(
      'goroutine',
      names.map((name, i) => (closures[i] === '' ? name : `${name}.${closures[i]}`)),
    );
  }

  private closuresOf(index: number): string[] {
    return this.paths[index].map(path => closureName(telling(path)));
  }

  finish(countsOf: (family: number) => GoroutineCounts): FamilyTable {
    const counts: FamilyCount[] = [];
    let total = 0;
    const siblings = new Map<string, number>();
    for (const key of this.keys) siblings.set(key.join(' '), (siblings.get(key.join(' ')) ?? 0) + 1);
    for (let i = 0; i < this.length; i++) {
      const counted = countsOf(i);
      total += counted.count;
      counts.push({
        family: this.family(i, counted.states, siblings.get(this.keys[i].join(' '))! > 1),
        bytes: 0,
        samples: 0,
        bytesError: 0,
        sites: [],
        ...counted,
      });
    }
    return { kind: 'goroutine', total, counts: counts.sort(bySize) };
  }

  /** The title of a family whose function has other closures with the same stack says which one it is. */
  private family(index: number, states: ReadonlyMap<string, number>, hasSiblings: boolean): Family {
    const { interner } = this;
    const key = this.keys[index];
    const frames = namesOf(interner, key);
    const at = leadingIndex(
      key.map(id => interner.shared[id]),
      frames,
    );
    const isOperation = interner.kinds[key[0]] === frameKind.sync || interner.reasons[key[0]] !== '';
    const inner = at > 0 && !isOperation ? shortName(frames[0]) : '';
    const closures = this.closuresOf(index);
    const shown = hasSiblings ? closureName(this.paths[index][at]) : closures[at];
    const owner = shown === '' ? frames[at] : `${frames[at]}.${shown}`;
    return {
      id: this.idOf(index),
      kind: 'goroutine',
      frames,
      closures,
      title: goroutineTitle(owner, mostOften(states) ?? (isOperation && at > 0 ? shortName(frames[0]) : inner)),
      ownerPackage: packageOf(frames[at]),
    };
  }
}

/** The first closure counts as its function: which of the two it is depends on how the code is written, not what it does. */
function telling(path: string): string {
  return /^1(?:\.1)*$/.test(path) ? '' : path;
}

/** `func1.2` for `1.2`. */
function closureName(path: string): string {
  return path === '' ? '' : `func${path}`;
}

function indexOf(ids: ArrayLike<number>, id: number): number {
  for (let i = 0; i < ids.length; i++) if (ids[i] === id) return i;
  return -1;
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

/** `g-` or `h-` and ten hex digits: 40 bits, so that 10,000 families collide once in 20,000 captures. */
export function familyId(kind: FamilyKind, frames: readonly string[]): string {
  const prefix = kind === 'goroutine' ? 'g-' : 'h-';
  return prefix + hash40(frames.join('\n'));
}

/** Two 32-bit multiplicative hashes over UTF-16 units, mixed into each other at the end. */
function hash40(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) + (a >>> 15);
  }
  a = avalanche(a ^ (b >>> 11));
  b = avalanche(b ^ a);
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 24).toString(16).padStart(2, '0');
}

/** Spreads every bit over the whole word. */
function avalanche(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}

/**
 * The shortest form of a family that still distinguishes it from others, for a table at 80 characters.
 *
 *     cache.(*processorListener).run ← chan receive              what waits, and for what
 *     kubelet.(*podWorkers).startPodSync → context.WithCancel    what allocates, and through which call
 */
const MAX_TITLE = 72;

/** `operation` is a wait reason, or the innermost function that counts; '' if it would only repeat the owner. */
export function goroutineTitle(owner: string, operation: string): string {
  return joined(shortName(owner), ' ← ', operation);
}

/** `called` is the function the owner calls to allocate; '' if it allocates itself. */
export function heapTitle(owner: string, called: string): string {
  return joined(shortName(owner), ' → ', shortName(called));
}

function joined(owner: string, arrow: string, rest: string): string {
  if (rest === '' || rest === owner) return clipped(owner, MAX_TITLE);
  const room = Math.max(MAX_TITLE - arrow.length - rest.length, MAX_TITLE / 2);
  const left = clipped(owner.length <= room ? owner : withoutPackage(owner), room);
  return left + arrow + clipped(rest, MAX_TITLE - left.length - arrow.length);
}

/** `volumemanager.(*volumeManager).WaitForAttachAndMount` as `(*volumeManager).WaitForAttachAndMount`. */
function withoutPackage(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** Keeps the end of a name, which tells more than its middle. */
function clipped(text: string, room: number): string {
  if (text.length <= room) return text;
  const head = Math.floor((room - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (room - 1 - head))}`;
}
