/** A rate over the last two days in middle bins: what happened to a target, without the minutes of a `FineColumn`. */
import { MIDDLE_BINS, MIDDLE_EVERY } from './fine-column.ts';

export class RateColumn {
  readonly #means = new Float32Array(MIDDLE_BINS).fill(NaN);
  /** The current middle bin; -1 before the first sample. */
  #bin = -1;
  #sum = 0;
  #count = 0;

  /** `fineBin` counts minutes of the detector. */
  add(fineBin: number, rate: number): void {
    this.advance(fineBin);
    this.#sum += rate;
    this.#count++;
  }

  /** Starts another life: nothing of the last one is comparable. */
  restart(): void {
    this.#means.fill(NaN);
    this.#sum = this.#count = 0;
  }

  /** Closes the bins before that of `fineBin`. */
  advance(fineBin: number): void {
    const bin = Math.floor(fineBin / MIDDLE_EVERY);
    if (bin <= this.#bin) return;
    if (this.#bin >= 0) {
      this.#means[this.#bin % MIDDLE_BINS] = this.#count === 0 ? NaN : this.#sum / this.#count;
      for (let gap = Math.max(this.#bin + 1, bin - MIDDLE_BINS); gap < bin; gap++) this.#means[gap % MIDDLE_BINS] = NaN;
    }
    this.#bin = bin;
    this.#sum = this.#count = 0;
  }

  /** The mean of the bins from `from` to `to`, in middle bins; NaN if there is none. */
  meanOf(from: number, to: number): number {
    let sum = 0;
    let count = 0;
    for (let bin = Math.max(0, from, to - MIDDLE_BINS); bin < to; bin++) {
      const mean = this.#means[bin % MIDDLE_BINS];
      if (Number.isNaN(mean)) continue;
      sum += mean;
      count++;
    }
    return sum / count;
  }

  /** A quantile of the same bins; NaN if there is none. */
  quantileOf(share: number, from: number, to: number): number {
    const means: number[] = [];
    for (let bin = Math.max(0, from, to - MIDDLE_BINS); bin < to; bin++) {
      const mean = this.#means[bin % MIDDLE_BINS];
      if (!Number.isNaN(mean)) means.push(mean);
    }
    return means.length === 0 ? NaN : means.sort((a, b) => a - b)[Math.floor(means.length * share)];
  }
}
