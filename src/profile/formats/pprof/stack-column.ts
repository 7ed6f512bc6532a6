/**
 * The locations of all stacks, one after the other: the largest column of a profile. Two bytes each while every key
 * fits, four from the first that does not.
 *
 * Nearly every writer numbers its locations 1, 2, 3 ..., so a key is kept as the row it then has, key - 1. Only if a
 * writer did otherwise are keys looked up at the end.
 */
import type { ResolvedIds } from './id-index.ts';
import { MalformedProfileError } from './malformed.ts';

const NARROW_LIMIT = 0xffff;

export class StackColumnBuilder {
  length = 0;
  /** The largest key that `items` can hold. */
  limit: number = NARROW_LIMIT;
  /** The largest key there is. */
  largest = 0;
  /** Whether any key is 0, the id of no location. */
  hasZero = false;
  private items: Uint16Array | Uint32Array;

  constructor(capacity: number) {
    this.items = new Uint16Array(Math.max(capacity, 64));
  }

  push(key: number): void {
    if (key > this.limit) this.widen();
    if (key > this.largest) this.largest = key;
    if (key === 0) this.hasZero = true;
    this.reserve(1)[this.length++] = key - 1;
  }

  /** Makes room for `extra` more keys; the caller may write key - 1 behind `length`, for keys from 1 to `limit`. */
  reserve(extra: number): Uint16Array | Uint32Array {
    if (this.length + extra > this.items.length) {
      const size = Math.max(this.items.length * 2, this.length + extra);
      const next = this.limit === NARROW_LIMIT ? new Uint16Array(size) : new Uint32Array(size);
      next.set(this.items.subarray(0, this.length));
      this.items = next;
    }
    return this.items;
  }

  /** The rows of the location table. */
  finish({ dense, rowOf }: ResolvedIds): Uint16Array | Uint32Array {
    let items = this.items.subarray(0, this.length);
    const inOrder = dense !== undefined && dense.every((row, key) => row === key - 1);
    if (this.hasZero || (inOrder && this.largest >= dense.length)) throw nilLocation();
    if (!inOrder) {
      for (let i = 0; i < items.length; i++) {
        const row = rowOf(items[i] + 1);
        if (row < 0) throw nilLocation();
        // A small id may stand for a late row.
        if (row > NARROW_LIMIT && items instanceof Uint16Array) items = Uint32Array.from(items);
        items[i] = row;
      }
    }
    return items;
  }

  private widen(): void {
    const wide = new Uint32Array(this.items.length);
    wide.set(this.items.subarray(0, this.length));
    this.items = wide;
    this.limit = 0xffffffff;
  }
}

function nilLocation(): MalformedProfileError {
  return new MalformedProfileError('sample has nil location');
}
