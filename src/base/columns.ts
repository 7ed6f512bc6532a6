/**
 * Growable typed columns.
 *
 * Doubling with a generous first capacity: large typed arrays are mapped lazily, so capacity that is never written
 * costs address space, not memory.
 */
export class Uint32ColumnBuilder {
  length = 0;
  items: Uint32Array;

  constructor(capacity = 64) {
    this.items = new Uint32Array(Math.max(capacity, 16));
  }

  push(value: number): void {
    if (this.length === this.items.length) this.reserve(1);
    this.items[this.length++] = value;
  }

  /** Makes room for `extra` more items, so that a hot loop may write into `items` itself. */
  reserve(extra: number): void {
    if (this.length + extra <= this.items.length) return;
    const next = new Uint32Array(Math.max(this.items.length * 2, this.length + extra));
    next.set(this.items.subarray(0, this.length));
    this.items = next;
  }

  finish(): Uint32Array {
    return this.items.subarray(0, this.length);
  }
}

/** The same for numbers. */
export class Float64ColumnBuilder {
  length = 0;
  items: Float64Array;

  constructor(capacity = 64) {
    this.items = new Float64Array(Math.max(capacity, 16));
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const next = new Float64Array(this.items.length * 2);
      next.set(this.items);
      this.items = next;
    }
    this.items[this.length++] = value;
  }
}

/** Unsigned 64-bit values given as 32-bit halves; read as BigUint64Array only where a report needs them. */
export class Uint64ColumnBuilder {
  private readonly halves = new Uint32ColumnBuilder(128);

  get length(): number {
    return this.halves.length / 2;
  }

  pushHalves(lo: number, hi: number): void {
    this.halves.reserve(2);
    const { items, length } = this.halves;
    items[length] = lo;
    items[length + 1] = hi;
    this.halves.length = length + 2;
  }

  finish(): BigUint64Array {
    const { items, length } = this.halves;
    return new BigUint64Array(items.buffer, items.byteOffset, length / 2);
  }
}
