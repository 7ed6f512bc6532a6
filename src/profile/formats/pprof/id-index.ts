/**
 * Ids of locations, functions and mappings are arbitrary non-zero 64-bit numbers, and may be used before they are
 * defined. While reading, an id is a 32-bit key; at the end, keys become indexes.
 *
 *     id < 2^31    its key is the id itself
 *     otherwise    2^31 + the order in which it was first seen
 */
const BIG = 0x80000000;

export interface ResolvedIds {
  /** The row of a key, -1 for a key never defined. */
  readonly rowOf: (key: number) => number;
  /** The same as an array, when keys are dense enough for one. */
  readonly dense: Int32Array | undefined;
  /** The first row whose key was already taken, or is 0, which is reserved; -1 when there is none. */
  readonly bad: number;
}

export class IdIndex {
  private readonly big = new Map<bigint, number>();
  private readonly keys: number[] = [];

  key(lo: number, hi: number): number {
    if (hi === 0 && lo < BIG) return lo;
    const id = (BigInt(hi) << 32n) | BigInt(lo);
    let key = this.big.get(id);
    if (key === undefined) {
      key = BIG + this.big.size;
      this.big.set(id, key);
    }
    return key;
  }

  /** Says that the next row of the table has this key. */
  define(key: number): void {
    this.keys.push(key);
  }

  finish(): ResolvedIds {
    const { keys } = this;
    let largest = 0;
    for (const key of keys) if (key > largest) largest = key;
    let bad = -1;
    if (largest <= keys.length * 4 + 4096) {
      const dense = new Int32Array(largest + 1).fill(-1);
      keys.forEach((key, row) => {
        if (bad < 0 && (key === 0 || dense[key] >= 0)) bad = row;
        dense[key] = row;
      });
      return { rowOf: key => (key <= largest ? dense[key] : -1), dense, bad };
    }
    const sparse = new Map<number, number>();
    keys.forEach((key, row) => {
      if (bad < 0 && (key === 0 || sparse.has(key))) bad = row;
      sparse.set(key, row);
    });
    return { rowOf: key => sparse.get(key) ?? -1, dense: undefined, bad };
  }
}
