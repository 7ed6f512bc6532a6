/**
 * Sums of 64-bit integers by index: doubles for as long as they are exact, BigInt for the few that are not.
 */
export class ExactSums {
  /** NaN marks a sum that lives in `wide`. */
  private sums = new Float64Array(64);
  private readonly wide = new Map<number, bigint>();

  add(index: number, value: number | bigint): void {
    if (index >= this.sums.length) this.grow(index + 1);
    if (typeof value === 'number') {
      const sum = this.sums[index] + value;
      if (Number.isSafeInteger(sum)) {
        this.sums[index] = sum;
        return;
      }
    }
    const wide = this.exact(index) + BigInt(value);
    if (wide >= BigInt(Number.MIN_SAFE_INTEGER) && wide <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.wide.delete(index);
      this.sums[index] = Number(wide);
    } else {
      this.wide.set(index, wide);
      this.sums[index] = NaN;
    }
  }

  get(index: number): number | bigint {
    if (index >= this.sums.length) return 0;
    const sum = this.sums[index];
    return Number.isNaN(sum) ? this.exact(index) : sum;
  }

  private exact(index: number): bigint {
    return this.wide.get(index) ?? BigInt(this.sums[index]);
  }

  private grow(length: number): void {
    const next = new Float64Array(Math.max(length, this.sums.length * 2));
    next.set(this.sums);
    this.sums = next;
  }
}

/** Orders by magnitude, the largest first. */
export function compareMagnitude(a: number | bigint, b: number | bigint): number {
  const x = a < 0 ? -a : a;
  const y = b < 0 ? -b : b;
  return x > y ? -1 : x < y ? 1 : 0;
}
