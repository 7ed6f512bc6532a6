import { Uint32ColumnBuilder } from '../../base/columns.ts';

/** Numbers distinct root-first stacks. Node 0 is the empty stack; every other node is its parent plus one frame. */
export class StackTrie {
  private readonly parents = new Uint32ColumnBuilder(1 << 10);
  private readonly frames = new Uint32ColumnBuilder(1 << 10);
  /** Open addressing; 0 is free, which no child can be. */
  private slots = new Uint32Array(1 << 11);

  constructor() {
    this.parents.push(0);
    this.frames.push(0);
  }

  get length(): number {
    return this.parents.length;
  }

  child(parent: number, frame: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(parent, frame) & mask;
    for (let node = this.slots[slot]; node !== 0; node = this.slots[slot]) {
      if (this.parents.items[node] === parent && this.frames.items[node] === frame) return node;
      slot = (slot + 1) & mask;
    }
    const node = this.parents.length;
    this.slots[slot] = node;
    this.parents.push(parent);
    this.frames.push(frame);
    if (this.parents.length * 2 > this.slots.length) this.rehash();
    return node;
  }

  /** The frames from the root to `node`. */
  path(node: number): number[] {
    const path: number[] = [];
    for (; node !== 0; node = this.parents.items[node]) path.push(this.frames.items[node]);
    return path.reverse();
  }

  private rehash(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let node = 1; node < this.parents.length; node++) {
      let slot = hash(this.parents.items[node], this.frames.items[node]) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = node;
    }
  }
}

function hash(parent: number, frame: number): number {
  let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
