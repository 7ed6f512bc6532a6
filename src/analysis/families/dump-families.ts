/**
 * Families of a goroutine dump in text form.
 *
 * Functions and stacks are interned in the dump, so each is processed once; a goroutine costs a few additions.
 */
import type { FamilyTable, LabelSet } from '../../model/family.ts';
import { goroutineFlags, type GoroutineDump } from '../../model/goroutine-dump.ts';
import { isCallWrapper } from '../../model/go-name/normalise.ts';
import { GoroutineFamilies, waitOf } from './family-draft.ts';
import { frameKind } from './frame-interner.ts';
import { NO_STACK } from './stack-key.ts';
import { PairCounter } from './pair-counter.ts';
import { distinct, waitsByFamily } from './waits-by-family.ts';
import { unifiedReason } from './wait-reasons.ts';

/** The family of each row of the dump. */
export interface DumpFamilies {
  readonly families: GoroutineFamilies;
  /** The family of each stack of the dump. */
  readonly familyOfStack: Int32Array;
}

export function familiesOfDump(dump: GoroutineDump): FamilyTable {
  const { families, familyOfStack } = groupStacks(dump);
  const { goroutines, strings } = dump;
  const count = families.length;
  const sizes = new Float64Array(count);
  const leaked = new Float64Array(count);
  const printedStates = distinct(goroutines.state, goroutines.length, strings.length);
  const creatorIds = creatorNames(dump, families);
  const states = new PairCounter(count, printedStates.values.length);
  const labels = new PairCounter(count, dump.labelSets.length);
  const creators = new PairCounter(count, families.interner.names.length);
  const minutes = new PairCounter(count, maximum(goroutines.waitMinutes, goroutines.length) + 1);
  const allLeaked = leakSections(dump);

  for (let row = 0; row < goroutines.length; row++) {
    const n = goroutines.count[row];
    const family = familyOfStack[goroutines.stack[row]];
    sizes[family] += n;
    if (goroutines.state[row] !== 0) states.add(family, printedStates.indexOf[goroutines.state[row]], n);
    const wait = goroutines.waitMinutes[row];
    minutes.add(family, wait > 0 ? wait : 0, n);
    if (goroutines.labels[row] !== 0) labels.add(family, goroutines.labels[row], n);
    const creator = goroutines.creator[row];
    if (creator >= 0) creators.add(family, creatorIds[creator], n);
    if ((goroutines.flags[row] & goroutineFlags.leaked) !== 0 || allLeaked(row)) leaked[family] += n;
  }

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
    creators: new Map(
      creators
        .entries(i)
        .sort((a, b) => b[1] - a[1])
        .map(([id, n]) => [families.interner.names[id], n]),
    ),
    labelSets: labels
      .entries(i)
      .map(([set, n]) => ({ labels: labelSetOf(dump, set), count: n }))
      .sort((a, b) => b.count - a.count),
    leaked: leaked[i],
    example: exampleOf(dump, families.exampleStacks[i]),
  }));
}

/** Assigns every distinct stack of a dump to its family. */
export function groupStacks(dump: GoroutineDump): DumpFamilies {
  const { stacks, frames, strings } = dump;
  const families = new GoroutineFamilies();
  const idOfFrame = new Int32Array(frames.length);
  for (let frame = 0; frame < frames.length; frame++) {
    idOfFrame[frame] = families.interner.idOf(strings[frames.fn[frame]], strings[frames.file[frame]]);
  }
  const familyOfStack = new Int32Array(stacks.length);
  const wrapped = goWrappers(dump);
  for (let stack = 0; stack < stacks.length; stack++) {
    const start = stacks.frameStart[stack];
    const end = stacks.frameStart[stack + 1];
    const ids: number[] = [];
    for (let i = start; i < end; i++) ids.push(idOfFrame[stacks.frames[i]]);
    const isTelling = (id: number): boolean => families.interner.kinds[id] === frameKind.telling;
    if (wrapped[stack] === 1 && ids.slice(0, -2).some(isTelling)) ids.splice(-2, 1);
    familyOfStack[stack] = families.familyOf(ids.length > 0 ? ids : [families.interner.intern(NO_STACK)], stack);
  }
  return { families, familyOfStack };
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

/** By frame: the id of its function as a creator, -1 if the frame is not a creator. */
function creatorNames(dump: GoroutineDump, families: GoroutineFamilies): Int32Array {
  const { goroutines, frames, strings } = dump;
  const ids = new Int32Array(frames.length).fill(-1);
  for (let row = 0; row < goroutines.length; row++) {
    const frame = goroutines.creator[row];
    if (frame < 0 || ids[frame] >= 0) continue;
    ids[frame] = families.interner.idOf(strings[frames.fn[frame]], strings[frames.file[frame]]);
  }
  return ids;
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
