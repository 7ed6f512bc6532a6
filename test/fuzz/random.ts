/** A small seeded generator (mulberry32): the same seed and index give the same input on every machine. */
export class Random {
  private state: number;

  constructor(seed: number, index: number) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
    this.next();
  }

  /** An unsigned 32-bit number. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** 0 .. limit - 1; 0 if there is nothing to choose from. */
  below(limit: number): number {
    return limit <= 1 ? 0 : this.next() % limit;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }
}
