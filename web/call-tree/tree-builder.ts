/** Builds a call tree: add stacks, root first; then `layOut` turns it into a CallTree. */
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { StackTrie } from '../../src/formats/folded/stack-trie.ts';

/** Which of two compared profiles a value comes from; 'after' when there is only one. */
export type Side = 'before' | 'after';

export class TreeBuilder {
  /** By node; node 0 is the root, and a parent comes before its children. */
  readonly parents: Uint32ColumnBuilder = new Uint32ColumnBuilder(1 << 10);
  readonly frames: Uint32ColumnBuilder = new Uint32ColumnBuilder(1 << 10);
  private readonly trie = new StackTrie();
  private readonly selves: Record<Side, Float64Array> = {
    before: new Float64Array(1 << 10),
    after: new Float64Array(1 << 10),
  };

  constructor() {
    this.parents.push(0);
    this.frames.push(0);
  }

  get length(): number {
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

  /** Self values by node. */
  self(side: Side): Float64Array {
    return grown(this.selves[side], this.length).subarray(0, this.length);
  }
}

function grown(column: Float64Array, length: number): Float64Array {
  if (column.length >= length) return column;
  const next = new Float64Array(Math.max(length, column.length * 2));
  next.set(column);
  return next;
}
