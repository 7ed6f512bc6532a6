import { Uint32ColumnBuilder } from './columns.ts';

/** Numbers distinct sequences of numbers. Node 0 is the empty one; every other node is its parent plus one item. */
export class SequenceTrie {
  private readonly parents = new Uint32ColumnBuilder(1 << 10);
  private readonly items = new Uint32ColumnBuilder(1 << 10);
  /** Open addressing; 0 is free, which no child can be. */
  private slots = new Uint32Array(1 << 11);

  constructor() {
    this.parents.push(0);
    this.items.push(0);
  }

  get length(): number {
    return this.parents.length;
  }

  child(parent: number, item: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(parent, item) & mask;
    for (let node = this.slots[slot]; node !== 0; node = this.slots[slot]) {
      if (this.parents.items[node] === parent && this.items.items[node] === item) return node;
      slot = (slot + 1) & mask;
    }
    const node = this.parents.length;
    this.slots[slot] = node;
    this.parents.push(parent);
    this.items.push(item);
    if (this.parents.length * 2 > this.slots.length) this.rehash();
    return node;
  }

  /** The sequence that `node` stands for. */
  path(node: number): number[] {
    const path: number[] = [];
    for (; node !== 0; node = this.parents.items[node]) path.push(this.items.items[node]);
    return path.reverse();
  }

  private rehash(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let node = 1; node < this.parents.length; node++) {
      let slot = hash(this.parents.items[node], this.items.items[node]) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = node;
    }
  }
}

function hash(parent: number, item: number): number {
  let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(item + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
