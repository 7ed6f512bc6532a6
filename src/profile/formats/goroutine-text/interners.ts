/**
 * Interning: numbers distinct things in order of first appearance.
 *
 *     slots   [ . 3 . . 1 2 . ]      open addressing; 0 is free, else id + 1
 *     hashes  [ h0 h1 h2 ]           by id
 *
 * The number of probes is bounded. Input made to collide goes to a Map, whose hash is seeded by the engine, so
 * time stays linear whatever comes in.
 */
import { decodeText } from '../../../base/text.ts';
import { ByteScanner } from '../../../base/byte-scan.ts';

const MAX_PROBES = 32;

abstract class Interner {
  /** How many distinct things there are; `intern` returned a new one when its result equals the `length` before. */
  length = 0;
  protected readonly seed: number = (Math.random() * 0x100000000) | 0;
  protected slots: Int32Array = new Int32Array(1 << 10);
  protected hashes: Int32Array = new Int32Array(1 << 9);
  protected readonly overflow: Map<string, number> = new Map();

  protected abstract keyOf(id: number): string;

  /** Adds a new thing whose probe sequence was searched in vain. */
  protected insert(hash: number): number {
    if (this.length === this.hashes.length) this.grow();
    const id = this.length++;
    this.hashes[id] = hash;
    if (!this.place(id, hash)) this.overflow.set(this.keyOf(id), id);
    return id;
  }

  private place(id: number, hash: number): boolean {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      if (this.slots[slot] === 0) {
        this.slots[slot] = id + 1;
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  private grow(): void {
    const hashes = new Int32Array(this.hashes.length * 2);
    hashes.set(this.hashes);
    this.hashes = hashes;
    this.slots = new Int32Array(this.slots.length * 2);
    this.overflow.clear();
    for (let id = 0; id < this.length; id++) {
      if (!this.place(id, hashes[id])) this.overflow.set(this.keyOf(id), id);
    }
  }
}

/** Interns ranges of one buffer by offset, without copying or decoding them. */
export class ByteInterner extends Interner {
  private readonly scanner: ByteScanner;
  private starts = new Uint32Array(1 << 9);
  private sizes = new Uint32Array(1 << 9);

  constructor(scanner: ByteScanner) {
    super();
    this.scanner = scanner;
  }

  intern(start: number, end: number): number {
    const size = end - start;
    const hash = this.scanner.hash(start, end, this.seed);
    const slots = this.slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const id = slots[slot] - 1;
      if (id < 0) break;
      if (this.hashes[id] === hash && this.sizes[id] === size && this.scanner.equal(this.starts[id], start, size)) {
        return id;
      }
      slot = (slot + 1) & mask;
    }
    if (this.overflow.size > 0) {
      const id = this.overflow.get(decodeText(this.scanner.bytes, start, end));
      if (id !== undefined) return id;
    }
    if (this.length === this.starts.length) {
      this.starts = widened(this.starts);
      this.sizes = widened(this.sizes);
    }
    this.starts[this.length] = start;
    this.sizes[this.length] = size;
    return this.insert(hash);
  }

  /** Where the first occurrence of a range starts. */
  startOf(id: number): number {
    return this.starts[id];
  }

  sizeOf(id: number): number {
    return this.sizes[id];
  }

  protected keyOf(id: number): string {
    return decodeText(this.scanner.bytes, this.starts[id], this.starts[id] + this.sizes[id]);
  }
}

/** Interns sequences of 32-bit integers: stacks, label sets, frames. */
export class SequenceInterner extends Interner {
  private starts = new Uint32Array(1 << 9);
  private pool = new Int32Array(1 << 12);

  intern(items: Int32Array, size: number): number {
    let h = this.seed ^ size;
    for (let i = 0; i < size; i++) {
      h = Math.imul(h ^ items[i], 0x9e3779b1);
      h ^= h >>> 15;
    }
    const hash = Math.imul(h, 0x85ebca6b) ^ (h >>> 13);
    const slots = this.slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++) {
      const id = slots[slot] - 1;
      if (id < 0) break;
      if (this.hashes[id] === hash && this.equals(id, items, size)) return id;
      slot = (slot + 1) & mask;
    }
    if (this.overflow.size > 0) {
      const id = this.overflow.get(items.subarray(0, size).join());
      if (id !== undefined) return id;
    }
    this.append(items, size);
    return this.insert(hash);
  }

  startOf(id: number): number {
    return this.starts[id];
  }

  endOf(id: number): number {
    return this.starts[id + 1];
  }

  /** All sequences, one behind the other. */
  get items(): Int32Array {
    return this.pool;
  }

  private equals(id: number, items: Int32Array, size: number): boolean {
    const start = this.starts[id];
    if (this.starts[id + 1] - start !== size) return false;
    for (let i = 0; i < size; i++) if (this.pool[start + i] !== items[i]) return false;
    return true;
  }

  private append(items: Int32Array, size: number): void {
    const start = this.starts[this.length];
    if (start + size > this.pool.length) {
      const pool = new Int32Array(Math.max(this.pool.length * 2, start + size));
      pool.set(this.pool);
      this.pool = pool;
    }
    for (let i = 0; i < size; i++) this.pool[start + i] = items[i];
    if (this.length + 1 === this.starts.length) this.starts = widened(this.starts);
    this.starts[this.length + 1] = start + size;
  }

  protected keyOf(id: number): string {
    return this.pool.subarray(this.starts[id], this.starts[id + 1]).join();
  }
}

/** The dump's strings. Ranges of the input are looked up by their bytes and decoded once. */
export class StringTable {
  readonly strings: string[] = [''];
  /** Only once there is a string that is no range: a Map of a million strings costs more than all else. */
  private index: Map<string, number> | undefined;
  private readonly ranges: ByteInterner;
  private readonly rangeString: number[] = [];
  private readonly bytes: Uint8Array;

  constructor(scanner: ByteScanner) {
    this.bytes = scanner.bytes;
    this.ranges = new ByteInterner(scanner);
  }

  intern(text: string): number {
    this.index ??= new Map(this.strings.map((known, i) => [known, i]));
    return this.index.get(text) ?? this.add(text);
  }

  internRange(start: number, end: number): number {
    if (start === end) return 0;
    const range = this.ranges.intern(start, end);
    if (range === this.rangeString.length) {
      const text = decodeText(this.bytes, start, end);
      this.rangeString.push(this.index === undefined ? this.add(text) : this.intern(text));
    }
    return this.rangeString[range];
  }

  private add(text: string): number {
    const index = this.strings.length;
    this.strings.push(text);
    this.index?.set(text, index);
    return index;
  }
}

function widened(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(column.length * 2);
  next.set(column);
  return next;
}
