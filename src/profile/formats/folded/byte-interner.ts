/**
 * Numbers distinct byte ranges of one buffer in order of first appearance. It keeps offsets, not copies, so memory
 * grows with the number of distinct ranges and nothing is decoded twice.
 */
export class ByteInterner {
  private readonly bytes: Uint8Array;
  /** Open addressing; 0 is free, else id + 1. */
  private slots = new Uint32Array(1 << 10);
  private starts = new Uint32Array(1 << 9);
  private ends = new Uint32Array(1 << 9);
  private hashes = new Uint32Array(1 << 9);
  /** Random, so that an input cannot be made to collide. */
  private readonly seed = Math.floor(Math.random() * 0x100000000);
  length = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The id of bytes[start, end); equal to the previous `length` when it is new. */
  intern(start: number, end: number): number {
    const hash = this.hash(start, end);
    let mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let found = this.slots[slot]; found !== 0; found = this.slots[slot]) {
      const id = found - 1;
      if (this.hashes[id] === hash && this.equals(id, start, end)) return id;
      slot = (slot + 1) & mask;
    }
    if (this.length === this.starts.length) {
      this.grow();
      mask = this.slots.length - 1;
      slot = hash & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    }
    const id = this.length++;
    this.slots[slot] = id + 1;
    this.starts[id] = start;
    this.ends[id] = end;
    this.hashes[id] = hash;
    return id;
  }

  /** Where the range of this id was first seen. */
  startOf(id: number): number {
    return this.starts[id];
  }

  private equals(id: number, start: number, end: number): boolean {
    const other = this.starts[id];
    const size = end - start;
    if (this.ends[id] - other !== size) return false;
    const bytes = this.bytes;
    for (let i = 0; i < size; i++) if (bytes[other + i] !== bytes[start + i]) return false;
    return true;
  }

  private hash(start: number, end: number): number {
    const bytes = this.bytes;
    let h = this.seed;
    for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 13), 0x85ebca6b);
    return (h ^ (h >>> 16)) >>> 0;
  }

  private grow(): void {
    this.starts = widened(this.starts);
    this.ends = widened(this.ends);
    this.hashes = widened(this.hashes);
    const slots = new Uint32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.length; id++) {
      let slot = this.hashes[id] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.slots = slots;
  }
}

/** The same values with room for twice as many. */
function widened(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(column.length * 2);
  next.set(column);
  return next;
}
