/** Builds a call tree from few stacks, one after the other, root first; `groupStacks` is for a whole profile. */
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { SequenceTrie } from '../../src/base/sequence-trie.ts';
import type { TreeNodes } from './tree-nodes.ts';

/** Which of two compared profiles a value comes from; 'after' when there is only one. */
export type Side = 'before' | 'after';

export class TreeBuilder {
  /** By node; node 0 is the root, and a parent comes before its children. */
  private readonly parents = new Uint32ColumnBuilder(1 << 10);
  private readonly frames = new Uint32ColumnBuilder(1 << 10);
  private firstLines = new Uint32Array(1 << 10);
  private lastLines = new Uint32Array(1 << 10);
  private readonly trie = new SequenceTrie();
  private readonly selves: Record<Side, Float64Array> = {
    before: new Float64Array(1 << 10),
    after: new Float64Array(1 << 10),
  };

  constructor() {
    this.parents.push(0);
    this.frames.push(0);
  }

  private get length(): number {
    return this.parents.length;
  }

  /** The child of `parent` for `frame`, added when it is new. */
  child(parent: number, frame: number): number {
    const node = this.trie.child(parent, frame);
    if (node === this.parents.length) {
      this.parents.push(parent);
      this.frames.push(frame);
    }
    return node;
  }

  /** Adds to a node's self value. */
  add(node: number, value: number, side: Side = 'after'): void {
    if (node >= this.selves[side].length) this.selves[side] = grown(this.selves[side], this.length);
    this.selves[side][node] += value;
  }

  /** Widens the range of a node's lines; 0 means unknown. */
  addLines(node: number, first: number, last: number): void {
    if (first === 0) return;
    if (node >= this.firstLines.length) {
      this.firstLines = grown(this.firstLines, this.length);
      this.lastLines = grown(this.lastLines, this.length);
    }
    if (this.firstLines[node] === 0 || first < this.firstLines[node]) this.firstLines[node] = first;
    if (last > this.lastLines[node]) this.lastLines[node] = last;
  }

  finish(): TreeNodes {
    const { length } = this;
    return {
      length,
      parents: this.parents.finish(),
      frames: this.frames.finish(),
      after: grown(this.selves.after, length).subarray(0, length),
      before: grown(this.selves.before, length).subarray(0, length),
      firstLines: grown(this.firstLines, length).subarray(0, length),
      lastLines: grown(this.lastLines, length).subarray(0, length),
    };
  }
}

function grown<Column extends Float64Array | Uint32Array>(column: Column, length: number): Column {
  if (column.length >= length) return column;
  const next = new (column.constructor as new (length: number) => Column)(Math.max(length, column.length * 2));
  next.set(column);
  return next;
}
