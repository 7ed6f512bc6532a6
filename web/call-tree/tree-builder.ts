/** A call tree while it grows: stacks in, root first; then `layOut` makes it a FlameTree. */
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { StackTrie } from '../../src/formats/folded/stack-trie.ts';

/** Which of two profiles a value is of. */
export type Moment = 'before' | 'after';

export class TreeDraft {
  /** By node; node 0 is the root, and a parent comes before its children. */
  readonly parents: Uint32ColumnBuilder = new Uint32ColumnBuilder(1 << 10);
  readonly frames: Uint32ColumnBuilder = new Uint32ColumnBuilder(1 << 10);
  private readonly trie = new StackTrie();
  private readonly selves: Record<Moment, Float64Array> = {
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

  child(parent: number, frame: number): number {
    const node = this.trie.child(parent, frame);
    if (node === this.parents.length) {
      this.parents.push(parent);
      this.frames.push(frame);
    }
    return node;
  }

  add(node: number, value: number, moment: Moment = 'after'): void {
    if (node >= this.selves[moment].length) this.selves[moment] = grown(this.selves[moment], this.length);
    this.selves[moment][node] += value;
  }

  /** By node, what ends there. */
  self(moment: Moment): Float64Array {
    return grown(this.selves[moment], this.length).subarray(0, this.length);
  }
}

function grown(column: Float64Array, length: number): Float64Array {
  if (column.length >= length) return column;
  const next = new Float64Array(Math.max(length, column.length * 2));
  next.set(column);
  return next;
}
