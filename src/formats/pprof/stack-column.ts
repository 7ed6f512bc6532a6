/**
 * The locations of all stacks, one after the other: the largest column of a profile. Two bytes each while every key
 * fits, four from the first that does not.
 */
const NARROW_LIMIT = 0xffff;

export class StackColumnBuilder {
  length = 0;
  /** The largest key that `items` can hold. */
  limit: number = NARROW_LIMIT;
  private items: Uint16Array | Uint32Array;

  constructor(capacity: number) {
    this.items = new Uint16Array(Math.max(capacity, 64));
  }

  push(key: number): void {
    if (key > this.limit) this.widen();
    this.reserve(1)[this.length++] = key;
  }

  /** Makes room for `extra` more keys; the caller may write keys up to `limit` behind `length`. */
  reserve(extra: number): Uint16Array | Uint32Array {
    if (this.length + extra > this.items.length) {
      const size = Math.max(this.items.length * 2, this.length + extra);
      const next = this.limit === NARROW_LIMIT ? new Uint16Array(size) : new Uint32Array(size);
      next.set(this.items.subarray(0, this.length));
      this.items = next;
    }
    return this.items;
  }

  finish(): Uint16Array | Uint32Array {
    return this.items.subarray(0, this.length);
  }

  private widen(): void {
    const wide = new Uint32Array(this.items.length);
    wide.set(this.items.subarray(0, this.length));
    this.items = wide;
    this.limit = 0xffffffff;
  }
}
