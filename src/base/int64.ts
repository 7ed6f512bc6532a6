/**
 * 64-bit integer columns.
 *
 * Nearly every value in a profile fits a double exactly, and doubles are many times faster than BigInt in hot loops.
 * So a column is a Float64Array as long as that is exact, and becomes a BigInt64Array with the first value that is not:
 *
 *     all |v| <= 2^53 - 1   ->  Float64Array
 *     any |v| >  2^53 - 1   ->  BigInt64Array
 */
export type Int64Column = Float64Array | BigInt64Array;

const TWO_32 = 4294967296;

/** A growable Int64Column. Capacity is cheap: untouched pages of a large typed array are never committed. */
export class Int64ColumnBuilder {
  length = 0;
  private column: Int64Column;

  constructor(capacity = 64) {
    this.column = new Float64Array(Math.max(capacity, 16));
  }

  /** Appends a two's complement value given as unsigned 32-bit halves. */
  pushHalves(lo: number, hi: number): void {
    if (this.length === this.column.length) this.grow();
    if (hi === 0 && this.column instanceof Float64Array) {
      this.column[this.length++] = lo;
      return;
    }
    // hi as signed: the value is safe when it lies within [-2^53+1, 2^53-1].
    const signedHi = hi | 0;
    if (this.column instanceof Float64Array) {
      if (signedHi < 0x200000 && signedHi > -0x200000) {
        this.column[this.length++] = signedHi * TWO_32 + lo;
        return;
      }
      this.widen();
    }
    (this.column as BigInt64Array)[this.length++] = (BigInt(signedHi) << 32n) | BigInt(lo);
  }

  /** Appends an integer; a number must be a safe integer. */
  push(value: number | bigint): void {
    if (this.length === this.column.length) this.grow();
    if (this.column instanceof Float64Array) {
      const asNumber = Number(value);
      if (Number.isSafeInteger(asNumber)) {
        this.column[this.length++] = asNumber;
        return;
      }
      this.widen();
    }
    (this.column as BigInt64Array)[this.length++] = BigInt(value);
  }

  /** The column so far; shares memory with the builder. */
  finish(): Int64Column {
    return this.column.subarray(0, this.length);
  }

  private grow(): void {
    const next =
      this.column instanceof Float64Array
        ? new Float64Array(this.column.length * 2)
        : new BigInt64Array(this.column.length * 2);
    (next as Float64Array).set(this.column as Float64Array);
    this.column = next;
  }

  private widen(): void {
    const wide = new BigInt64Array(this.column.length);
    for (let i = 0; i < this.length; i++) wide[i] = BigInt(this.column[i] as number);
    this.column = wide;
  }
}

/** Narrows a list of integers to the smallest exact column. */
export function int64Column(values: readonly (number | bigint)[]): Int64Column {
  const builder = new Int64ColumnBuilder(values.length);
  for (const value of values) builder.push(value);
  return builder.finish();
}

/** Go's conversion of a double to int64 on amd64: truncates toward zero; NaN and overflow give the minimum. */
export function truncateToInt64(value: number): bigint {
  if (!(value > -9223372036854775809 && value < 9223372036854775808)) return -9223372036854775808n;
  return BigInt(Math.trunc(value));
}

/** Go's math.Round: half away from zero. */
export function roundHalfAway(value: number): number {
  const truncated = Math.trunc(value);
  return Math.abs(value - truncated) >= 0.5 ? truncated + Math.sign(value) : truncated;
}

export function abs64(value: bigint): bigint {
  // As in Go, the minimum has no positive twin.
  return value < 0n ? BigInt.asIntN(64, -value) : value;
}
