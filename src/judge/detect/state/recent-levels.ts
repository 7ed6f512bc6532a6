/** A level over the last two hours, in bins of eight minutes. */
const BINS = 16;
const BIN_MINUTES = 8;

export class RecentLevels {
  /** So few that a typed array would cost more than it holds. */
  readonly #levels: number[] = new Array<number>(BINS).fill(NaN);
  /** The current bin; -1 before the first sample. */
  #bin = -1;

  /** `fineBin` counts minutes of the detector; the first sample in a bin counts. */
  add(fineBin: number, level: number): void {
    const bin = Math.floor(fineBin / BIN_MINUTES);
    if (bin <= this.#bin) return;
    for (let gap = Math.max(this.#bin + 1, bin - BINS + 1); gap < bin; gap++) this.#levels[gap % BINS] = NaN;
    this.#bin = bin;
    this.#levels[bin % BINS] = level;
  }

  /** Starts another life: nothing of the last one is comparable. */
  restart(): void {
    this.#levels.fill(NaN);
  }

  /** What it gained since a minute; NaN if unknown. */
  gainSince(fineBin: number): number {
    const from = Math.floor(fineBin / BIN_MINUTES);
    if (this.#bin < 0 || from <= this.#bin - BINS) return NaN;
    for (let bin = from; bin < this.#bin; bin++) {
      const level = this.#levels[bin % BINS];
      if (!Number.isNaN(level)) return this.#levels[this.#bin % BINS] - level;
    }
    return NaN;
  }
}
