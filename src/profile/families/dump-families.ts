/**
 * Families of a goroutine dump in text form.
 *
 * Functions and stacks are interned in the dump, so each is processed once; a goroutine costs a few additions.
 */
import type { FamilyTable, LabelSet, Waits } from './family.ts';
import { goroutineFlags, type GoroutineDump } from '../goroutine-dump.ts';
import { isCallWrapper, sourcePlace } from './normalise.ts';
import { type GoroutineCounts, GoroutineFamilies, waitOf } from './family-draft.ts';
import { frameKind } from './frame-interner.ts';
import { NO_STACK } from './stack-key.ts';
import { unifiedReason } from '../wait-reasons.ts';

/** Sums by pairs of small integers, in a flat array or, if that would be too large, in a map. */
const MAX_CELLS = 1 << 20;

/** The family of each row of the dump. */
export interface DumpFamilies {
  readonly families: GoroutineFamilies;
  /** The family of each stack of the dump. */
  readonly familyOfStack: Int32Array;
  /** The function of each frame of the dump. */
  readonly idOfFrame: Int32Array;
}

export function familiesOfDump(dump: GoroutineDump): FamilyTable {
  const { families, familyOfStack, idOfFrame } = groupStacks(dump);
  const { goroutines, strings } = dump;
  const count = families.length;
  const ofStack = new Float64Array(dump.stacks.length);
  const sizes = new Float64Array(count);
  const leaked = new Float64Array(count);
  const printedStates = distinct(goroutines.state, goroutines.length, strings.length);
  const states = new PairCounter(count, printedStates.values.length);
  const labels = new PairCounter(count, dump.labelSets.length);
  // -1 stands for no creator; as an unsigned number it would be out of bounds.
  const creatorOf = new Uint32Array(goroutines.length);
  for (let row = 0; row < goroutines.length; row++) creatorOf[row] = goroutines.creator[row] + 1;
  const starts = distinct(creatorOf, goroutines.length, dump.frames.length + 1);
  const creators = new PairCounter(count, starts.values.length);
  const minutes = new PairCounter(count, maximum(goroutines.waitMinutes, goroutines.length) + 1);
  const allLeaked = leakSections(dump);

  for (let row = 0; row < goroutines.length; row++) {
    const n = goroutines.count[row];
    const family = familyOfStack[goroutines.stack[row]];
    sizes[family] += n;
    ofStack[goroutines.stack[row]] += n;
    if (goroutines.state[row] !== 0) states.add(family, printedStates.indexOf[goroutines.state[row]], n);
    const wait = goroutines.waitMinutes[row];
    minutes.add(family, wait > 0 ? wait : 0, n);
    if (goroutines.labels[row] !== 0) labels.add(family, goroutines.labels[row], n);
    if (creatorOf[row] > 0) creators.add(family, starts.indexOf[creatorOf[row]], n);
    if ((goroutines.flags[row] & goroutineFlags.leaked) !== 0 || allLeaked(row)) leaked[family] += n;
  }

  const largest = largestStacks(familyOfStack, ofStack, count);
  const waits = waitsByFamily(dump, familyOfStack, count, printedStates);
  return families.finish(i => ({
    count: sizes[i],
    states: statesOf(
      states.entries(i).map(([state, n]) => [strings[printedStates.values[state]], n]),
      families.reasons[i],
      sizes[i],
    ),
    waitMinutes: waitOf(minutes.entries(i)),
    waits: waits?.(i),
    ...creatorsOf(
      dump,
      families,
      idOfFrame,
      creators.entries(i).map(([start, n]) => [starts.values[start] - 1, n]),
    ),
    labelSets: labels
      .entries(i)
      .map(([set, n]) => ({ labels: labelSetOf(dump, set), count: n }))
      .sort((a, b) => b.count - a.count),
    leaked: leaked[i],
    places: placesOf(dump, families.keys[i], idOfFrame, largest[i]),
    example: exampleOf(dump, largest[i]),
  }));
}

/** Assigns every distinct stack of a dump to its family. */
export function groupStacks(dump: GoroutineDump): DumpFamilies {
  const { stacks, frames, strings } = dump;
  const families = new GoroutineFamilies();
  const idOfFrame = new Int32Array(frames.length);
  const closureOfFrame: string[] = [];
  for (let frame = 0; frame < frames.length; frame++) {
    idOfFrame[frame] = families.interner.idOf(strings[frames.fn[frame]], strings[frames.file[frame]]);
    closureOfFrame.push(families.interner.closureOf(strings[frames.fn[frame]]));
  }
  const familyOfStack = new Int32Array(stacks.length);
  const wrapped = goWrappers(dump);
  for (let stack = 0; stack < stacks.length; stack++) {
    const start = stacks.frameStart[stack];
    const end = stacks.frameStart[stack + 1];
    const ids: number[] = [];
    const closures: string[] = [];
    for (let i = start; i < end; i++) {
      ids.push(idOfFrame[stacks.frames[i]]);
      closures.push(closureOfFrame[stacks.frames[i]]);
    }
    const isTelling = (id: number): boolean => families.interner.kinds[id] === frameKind.telling;
    if (wrapped[stack] === 1 && ids.slice(0, -2).some(isTelling)) {
      ids.splice(-2, 1);
      closures.splice(-2, 1);
    }
    familyOfStack[stack] = families.familyOf(ids.length > 0 ? ids : [families.interner.intern(NO_STACK)], closures);
  }
  return { families, familyOfStack, idOfFrame };
}

/** By family: the stack that most of its goroutines have. */
function largestStacks(familyOfStack: Int32Array, goroutines: Float64Array, count: number): Int32Array {
  const largest = new Int32Array(count).fill(-1);
  familyOfStack.forEach((family, stack) => {
    if (largest[family] < 0 || goroutines[stack] > goroutines[largest[family]]) largest[family] = stack;
  });
  return largest;
}

/**
 * By stack: 1 if the frame before `runtime.goexit` is the wrapper that Go 1.17 to 1.21 compile for a `go` statement
 * with arguments. Only dumps of a dying process show it, as a closure of the creator at the line of the statement.
 */
function goWrappers({ goroutines, stacks, frames, strings }: GoroutineDump): Uint8Array {
  const wrapped = new Uint8Array(stacks.length);
  const goexit = strings.indexOf('runtime.goexit');
  // Releases that name these wrappers have no others.
  if (goexit < 0 || strings.some(isCallWrapper)) return wrapped;
  for (let row = 0; row < goroutines.length; row++) {
    const stack = goroutines.stack[row];
    const creator = goroutines.creator[row];
    const end = stacks.frameStart[stack + 1];
    if (creator < 0 || wrapped[stack] === 1 || end - stacks.frameStart[stack] < 3) continue;
    if (frames.fn[stacks.frames[end - 1]] !== goexit) continue;
    const frame = stacks.frames[end - 2];
    if (frames.file[frame] !== frames.file[creator] || frames.line[frame] !== frames.line[creator]) continue;
    const [name, creatorName] = [strings[frames.fn[frame]], strings[frames.fn[creator]]];
    if (name.startsWith(creatorName) && CLOSURE.test(name.slice(creatorName.length))) wrapped[stack] = 1;
  }
  return wrapped;
}

/** What follows the name of the enclosing function in the name of a closure. */
const CLOSURE = /^\.func\d+$/;

/** Printed states under their unified names; if none is printed, what the stack shows. */
export function statesOf(
  printed: readonly (readonly [state: string, count: number])[],
  shown: string,
  size: number,
): Map<string, number> {
  const states = new Map<string, number>();
  for (const [state, count] of printed) {
    const reason = unifiedReason(state, shown);
    states.set(reason, (states.get(reason) ?? 0) + count);
  }
  if (printed.length === 0 && shown !== '') states.set(shown, size);
  return states;
}

export function labelSetOf(dump: GoroutineDump, set: number): LabelSet {
  const { labelSets, strings } = dump;
  const pairs: [string, string][] = [];
  for (let i = labelSets.start[set]; i < labelSets.start[set + 1]; i++) {
    pairs.push([strings[labelSets.key[i]], strings[labelSets.value[i]]]);
  }
  return pairs;
}

function exampleOf(dump: GoroutineDump, stack: number): string[] {
  const { stacks, frames, strings } = dump;
  const lines: string[] = [];
  const start = stacks.frameStart[stack];
  for (let i = start; i < stacks.frameStart[stack + 1]; i++) {
    const frame = stacks.frames[i];
    if (stacks.elidedAt[stack] === i - start) lines.push(`...${stacks.elidedFrames[stack] || ''} frames elided...`);
    const file = strings[frames.file[frame]];
    const name = strings[frames.fn[frame]] || `0x${frames.pc[frame].toString(16)}`;
    lines.push(file === '' ? name : `${name} ${file}:${frames.line[frame]}`);
  }
  return lines;
}

/** The place of each function of the key in a stack, at its position nearest to the leaf. */
function placesOf(dump: GoroutineDump, key: readonly number[], idOfFrame: Int32Array, stack: number): string[] {
  const { frames, frameStart } = dump.stacks;
  const ofStack = frames.subarray(frameStart[stack], frameStart[stack + 1]);
  return key.map(id => placeOf(dump, ofStack.find(frame => idOfFrame[frame] === id) ?? -1));
}

function placeOf({ frames, strings }: GoroutineDump, frame: number): string {
  if (frame < 0) return '';
  return sourcePlace(strings[frames.file[frame]], frames.line[frame], strings[frames.fn[frame]]);
}

/** By function; one function may start goroutines in several lines. */
function creatorsOf(
  dump: GoroutineDump,
  { interner }: GoroutineFamilies,
  idOfFrame: Int32Array,
  starts: readonly (readonly [frame: number, goroutines: number])[],
): Pick<GoroutineCounts, 'creators' | 'creatorPlaces'> {
  const creators = new Map<string, number>();
  const creatorPlaces = new Map<string, string>();
  for (const [frame, count] of starts.toSorted((a, b) => b[1] - a[1])) {
    const name = interner.names[idOfFrame[frame]];
    creators.set(name, (creators.get(name) ?? 0) + count);
    if (!creatorPlaces.has(name)) creatorPlaces.set(name, placeOf(dump, frame));
  }
  return { creators: new Map([...creators].sort((a, b) => b[1] - a[1])), creatorPlaces };
}

/** debug=1 of the goroutineleak profile lists only leaked goroutines, without a mark. */
function leakSections(dump: GoroutineDump): (row: number) => boolean {
  if (dump.format !== 'debug1' || !dump.sections.some(section => section.name === 'goroutineleak')) return () => false;
  return row => dump.sections.findLast(section => section.firstRow <= row)?.name === 'goroutineleak';
}

function maximum(column: Int32Array, length: number): number {
  let most = 0;
  for (let i = 0; i < length; i++) if (column[i] > most) most = column[i];
  return most;
}

export class PairCounter {
  private readonly columns: number;
  private readonly cells: Float64Array | undefined;
  private readonly sparse = new Map<number, number>();
  private sorted: Float64Array | undefined;

  /** `rows` and `columns` are exclusive upper bounds. */
  constructor(rows: number, columns: number) {
    this.columns = Math.max(columns, 1);
    this.cells = rows * this.columns <= MAX_CELLS ? new Float64Array(rows * this.columns) : undefined;
  }

  add(row: number, column: number, count: number): void {
    const at = row * this.columns + column;
    if (this.cells !== undefined) this.cells[at] += count;
    else this.sparse.set(at, (this.sparse.get(at) ?? 0) + count);
  }

  /** The columns of a row with a nonzero sum, ascending. Call it after everything is added. */
  entries(row: number): [column: number, sum: number][] {
    const out: [number, number][] = [];
    const from = row * this.columns;
    if (this.cells !== undefined) {
      for (let column = 0; column < this.columns; column++) {
        if (this.cells[from + column] !== 0) out.push([column, this.cells[from + column]]);
      }
      return out;
    }
    this.sorted ??= Float64Array.from(this.sparse.keys()).sort();
    for (let i = lowerBound(this.sorted, from); i < this.sorted.length && this.sorted[i] < from + this.columns; i++) {
      const sum = this.sparse.get(this.sorted[i])!;
      if (sum !== 0) out.push([this.sorted[i] - from, sum]);
    }
    return out;
  }
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Every goroutine of a dump with its id, wait and state, grouped by family.
 *
 * Columns sorted by family; each family is a slice of them. If a file has several dumps, the last one counts, because
 * ids repeat in the others. Undefined without ids, as in debug=1.
 */
function waitsByFamily(
  dump: GoroutineDump,
  familyOfStack: Int32Array,
  count: number,
  printed: Distinct,
): ((family: number) => Waits) | undefined {
  if (dump.format !== 'debug2') return undefined;
  const { goroutines, strings } = dump;
  const from = dump.sections.at(-1)?.firstRow ?? 0;
  const starts = new Uint32Array(count + 1);
  for (let row = from; row < goroutines.length; row++) starts[familyOfStack[goroutines.stack[row]] + 1]++;
  for (let i = 0; i < count; i++) starts[i + 1] += starts[i];
  const length = goroutines.length - from;
  const columns = { id: new Float64Array(length), minutes: new Int32Array(length), state: new Uint32Array(length) };
  const next = starts.slice();
  for (let row = from; row < goroutines.length; row++) {
    const at = next[familyOfStack[goroutines.stack[row]]]++;
    columns.id[at] = goroutines.id[row];
    columns.minutes[at] = Math.max(0, goroutines.waitMinutes[row]);
    columns.state[at] = printed.indexOf[goroutines.state[row]];
  }
  const states = printed.values.map(value => strings[value]);
  const isCut = dump.truncated !== undefined;
  return family => {
    const [start, end] = [starts[family], starts[family + 1]];
    return {
      id: columns.id.subarray(start, end),
      minutes: columns.minutes.subarray(start, end),
      state: columns.state.subarray(start, end),
      states,
      isCut,
    };
  };
}

/** The distinct values, and the index of each in that list. */
interface Distinct {
  readonly values: readonly number[];
  readonly indexOf: Int32Array;
}

function distinct(column: Uint32Array, length: number, bound: number): Distinct {
  const indexOf = new Int32Array(bound).fill(-1);
  const values: number[] = [];
  for (let i = 0; i < length; i++) {
    if (indexOf[column[i]] < 0) indexOf[column[i]] = values.push(column[i]) - 1;
  }
  return { values, indexOf };
}
