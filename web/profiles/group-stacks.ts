/**
 * The call tree of many stacks at once. Stacks are grouped by their first frame, each group by the second, and so on:
 *
 *     depth 0   main serve read     main poll     main serve
 *     depth 1   [ main: serve read, serve | poll ]
 *     depth 2   [ serve: read | (ends) ]  [ poll: (ends) ]
 *
 * Every group is a node. A pass over a group reads its stacks side by side, which is several times faster than looking up
 * one stack after the other in a tree of a million nodes: those look-ups wait for memory, each for the one before it.
 */
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import type { TreeNodes } from './call-tree.ts';

export interface StackList {
  /** By stack: its first step. */
  readonly start: Uint32Array;
  /** Where each stack passes, root first: indices into `frames` and `lines`. frames.length ends a stack. */
  readonly steps: Uint16Array | Uint32Array;
  readonly frames: Uint32Array;
  /** 0 when unknown. */
  readonly lines: Uint32Array;
  /** By stack. */
  readonly values: Float64Array;
  /** Stacks from here on belong to the earlier of two profiles. */
  readonly firstBefore: number;
  /** Every frame is below it. */
  readonly frameCount: number;
}

/** A group that waits to become a node: its parent, frame, first and last line, and stacks order[from .. to]. */
const FIELDS = 6;

export function groupStacks(list: StackList): TreeNodes {
  const groups = new Groups(list);
  groups.wait(0, 0, 0, 0, 0, list.values.length);
  while (groups.hasWaiting) groups.take();
  return groups.finish();
}

class Groups {
  private readonly list: StackList;
  /** Stack numbers; those of a group are side by side, and in their first order. */
  private readonly order: Uint32Array;
  /** In the same order: the next step of each. */
  private readonly cursors: Uint32Array;
  /** While a group is split: its stacks, their steps, and the frame that each goes to. */
  private readonly stacks: Uint32Array;
  private readonly places: Uint32Array;
  private readonly nexts: Uint32Array;
  /** By frame, while a group is split: how many stacks go there, then where to put the next; their lines. */
  private readonly room: Uint32Array;
  private readonly first: Uint32Array;
  private readonly last: Uint32Array;
  /** The frames that a group goes to, in the order in which they are found. */
  private readonly found: Uint32Array;
  private waiting = new Uint32Array(FIELDS << 10);
  private waitingLength = 0;

  private readonly parents: Uint32ColumnBuilder;
  private readonly frames: Uint32ColumnBuilder;
  private readonly firstLines: Uint32ColumnBuilder;
  private readonly lastLines: Uint32ColumnBuilder;
  private after: Float64Array;
  private before: Float64Array;

  constructor(list: StackList) {
    const count = list.values.length;
    this.list = list;
    this.order = new Uint32Array(count);
    for (let stack = 0; stack < count; stack++) this.order[stack] = stack;
    this.cursors = list.start.slice(0, count);
    this.stacks = new Uint32Array(count);
    this.places = new Uint32Array(count);
    this.nexts = new Uint32Array(count);
    this.found = new Uint32Array(list.frameCount);
    this.room = new Uint32Array(list.frameCount);
    this.first = new Uint32Array(list.frameCount);
    this.last = new Uint32Array(list.frameCount);
    // A new stack often shares all but a few frames; capacity that is not used costs nothing.
    const capacity = 4 * count + 16;
    this.parents = new Uint32ColumnBuilder(capacity);
    this.frames = new Uint32ColumnBuilder(capacity);
    this.firstLines = new Uint32ColumnBuilder(capacity);
    this.lastLines = new Uint32ColumnBuilder(capacity);
    this.after = new Float64Array(capacity);
    this.before = new Float64Array(list.firstBefore < count ? capacity : 0);
  }

  get hasWaiting(): boolean {
    return this.waitingLength > 0;
  }

  wait(parent: number, frame: number, first: number, last: number, from: number, to: number): void {
    const at = this.waitingLength;
    if (at + FIELDS > this.waiting.length) {
      const next = new Uint32Array(this.waiting.length * 2);
      next.set(this.waiting);
      this.waiting = next;
    }
    const { waiting } = this;
    waiting[at] = parent;
    waiting[at + 1] = frame;
    waiting[at + 2] = first;
    waiting[at + 3] = last;
    waiting[at + 4] = from;
    waiting[at + 5] = to;
    this.waitingLength = at + FIELDS;
  }

  /** Makes a node of the last group, and groups of its stacks. */
  take(): void {
    const at = (this.waitingLength -= FIELDS);
    const { waiting } = this;
    const node = this.addNode(waiting[at], waiting[at + 1], waiting[at + 2], waiting[at + 3]);
    const [from, to] = [waiting[at + 4], waiting[at + 5]];
    if (to - from === 1) this.addRest(node, from);
    else this.split(node, from, to);
  }

  finish(): TreeNodes {
    const { length } = this.parents;
    const isCompared = this.before.length > 0;
    return {
      length,
      parents: this.parents.finish(),
      frames: this.frames.finish(),
      after: this.after.subarray(0, length),
      before: isCompared ? this.before.subarray(0, length) : new Float64Array(length),
      firstLines: this.firstLines.finish(),
      lastLines: this.lastLines.finish(),
    };
  }

  private split(node: number, from: number, to: number): void {
    const { order, cursors, stacks, places, nexts, room, first, last, found } = this;
    const { steps, frames, lines } = this.list;
    const end = frames.length;
    let going = 0;
    let foundCount = 0;
    for (let i = from; i < to; i++) {
      const at = cursors[i];
      const step = steps[at];
      if (step === end) {
        this.addSelf(node, order[i]);
        continue;
      }
      const next = frames[step];
      const line = lines[step];
      stacks[going] = order[i];
      places[going] = at + 1;
      nexts[going++] = next;
      if (room[next]++ === 0) {
        found[foundCount++] = next;
        first[next] = last[next] = line;
      } else if (line !== 0) {
        if (first[next] === 0 || line < first[next]) first[next] = line;
        if (line > last[next]) last[next] = line;
      }
    }
    // What is found first is taken first, so it waits last.
    let stop = from + going;
    for (let i = foundCount - 1; i >= 0; i--) {
      const next = found[i];
      const begin = stop - room[next];
      this.wait(node, next, first[next], last[next], begin, stop);
      stop = room[next] = begin;
    }
    for (let i = 0; i < going; i++) {
      const into = room[nexts[i]]++;
      order[into] = stacks[i];
      cursors[into] = places[i];
    }
    for (let i = 0; i < foundCount; i++) room[found[i]] = 0;
  }

  /** The rest of a stack that is alone in its group. */
  private addRest(above: number, index: number): void {
    const { steps, frames, lines } = this.list;
    let node = above;
    for (let at = this.cursors[index]; steps[at] !== frames.length; at++) {
      const step = steps[at];
      node = this.addNode(node, frames[step], lines[step], lines[step]);
    }
    this.addSelf(node, this.order[index]);
  }

  private addNode(parent: number, frame: number, first: number, last: number): number {
    const node = this.parents.length;
    this.parents.push(parent);
    this.frames.push(frame);
    this.firstLines.push(first);
    this.lastLines.push(last);
    if (node >= this.after.length) this.after = grown(this.after);
    if (node >= this.before.length && this.before.length > 0) this.before = grown(this.before);
    return node;
  }

  private addSelf(node: number, stack: number): void {
    const { values, firstBefore } = this.list;
    if (stack < firstBefore) this.after[node] += values[stack];
    else this.before[node] += values[stack];
  }
}

function grown(column: Float64Array): Float64Array {
  const next = new Float64Array(column.length * 2);
  next.set(column);
  return next;
}
