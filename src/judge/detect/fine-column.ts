/**
 * One metric of one life of a target on the fast scale: the last hours in bins of one minute, the last two days in bins
 * of sixteen.
 *
 *     fine    256 bins of  1 min   the last  4 h
 *     middle  200 bins of 16 min   the last 53 h
 *
 * Minutes are the detector's own: a time scale shortens them.
 */
import type { Aggregate } from '../../evidence/resource-rules.ts';

export const FINE_MINUTES = 1;
export const FINE_BINS = 256;
/** Fine bins in a middle one. */
export const MIDDLE_EVERY = 16;
export const MIDDLE_BINS = 200;

const part = new Float64Array(MIDDLE_EVERY);

export class FineColumn {
  readonly #takesLowest: boolean;
  /** Fine bins, then middle ones: one array, because each costs as much as fifty bins. */
  readonly #bins = new Float32Array(FINE_BINS + MIDDLE_BINS).fill(NaN);
  /** The current bin; -1 before the first sample. */
  #bin = -1;
  #value = NaN;
  #count = 0;
  #hasValues = false;

  constructor(aggregate: Aggregate) {
    this.#takesLowest = aggregate === 'floor' || aggregate === 'low';
  }

  add(bin: number, value: number): void {
    this.advance(bin);
    this.#hasValues = true;
    if (this.#count === 0) this.#value = value;
    else if (this.#takesLowest) this.#value = Math.min(this.#value, value);
    else this.#value += (value - this.#value) / (this.#count + 1);
    this.#count++;
  }

  /** Starts another life: nothing of the last one is comparable. */
  restart(): void {
    if (!this.#hasValues) return;
    this.#bins.fill(NaN);
    this.#count = 0;
    this.#hasValues = false;
  }

  /** Everything seen so far was this many times what was said. */
  scale(factor: number): void {
    if (factor === 1) return;
    for (let i = 0; i < this.#bins.length; i++) this.#bins[i] *= factor;
    this.#value *= factor;
  }

  /** Closes the bins before `bin`. */
  advance(bin: number): void {
    if (bin <= this.#bin) return;
    if (this.#bin >= 0) {
      const oldest = bin - MIDDLE_BINS * MIDDLE_EVERY;
      for (let closing = Math.max(this.#bin, oldest); closing < bin; closing++) this.#close(closing);
    }
    this.#bin = bin;
    this.#count = 0;
  }

  #close(bin: number): void {
    this.#bins[bin % FINE_BINS] = bin === this.#bin && this.#count > 0 ? this.#value : NaN;
    if ((bin + 1) % MIDDLE_EVERY !== 0) return;
    let count = 0;
    for (let i = 0; i < MIDDLE_EVERY; i++) {
      const value = this.#bins[(bin - i) % FINE_BINS];
      if (!Number.isNaN(value)) part[count++] = value;
    }
    this.#bins[middlePlace(Math.floor(bin / MIDDLE_EVERY))] = this.#together(part.subarray(0, count));
  }

  #together(values: Float64Array): number {
    if (values.length === 0) return NaN;
    return values.sort()[this.#takesLowest ? Math.floor((values.length - 1) * 0.2) : (values.length - 1) >> 1];
  }

  /** The newest value in the last bins before `endBin`; NaN if there is none. */
  last(endBin: number): number {
    for (let bin = endBin - 1; bin >= Math.max(0, endBin - 16); bin--) {
      const value = this.#bins[bin % FINE_BINS];
      if (!Number.isNaN(value)) return value;
    }
    return NaN;
  }

  /** The median of the fine bins from `first` to `last` that are still kept; NaN if they are empty. */
  medianBetween(first: number, last: number, endBin: number): number {
    const values: number[] = [];
    for (let bin = Math.max(first, endBin - FINE_BINS, 0); bin <= Math.min(last, endBin - 1); bin++) {
      const value = this.#bins[bin % FINE_BINS];
      if (!Number.isNaN(value)) values.push(value);
    }
    return values.length === 0 ? NaN : values.sort((a, b) => a - b)[values.length >> 1];
  }

  /** The same of middle bins, which must be kept. */
  medianOfMiddle(first: number, last: number): number {
    const values: number[] = [];
    for (let bin = Math.max(0, first); bin <= last; bin++) {
      const value = this.#bins[middlePlace(bin)];
      if (!Number.isNaN(value)) values.push(value);
    }
    return values.length === 0 ? NaN : values.sort((a, b) => a - b)[values.length >> 1];
  }

  /** Bins `endBin - count` to `endBin`, oldest first; NaN if a bin is empty. */
  copyFine(out: Float64Array, endBin: number, count: number): void {
    for (let i = 0; i < count; i++) out[i] = this.#bins[(endBin - count + i) % FINE_BINS];
  }

  /** The last middle bins before the fine bin `endBin`, and last what has passed of the current one. */
  copyMiddle(out: Float64Array, endBin: number): void {
    const end = Math.floor(endBin / MIDDLE_EVERY);
    const count = out.length - 1;
    for (let i = 0; i < count; i++) out[i] = this.#bins[middlePlace(end - count + i)];
    const passed = endBin % MIDDLE_EVERY;
    out[count] = passed < MIN_PASSED ? NaN : this.medianBetween(end * MIDDLE_EVERY, endBin - 1, endBin);
  }
}

/** Fine bins that make a median. */
const MIN_PASSED = 4;

function middlePlace(middleBin: number): number {
  return FINE_BINS + (middleBin % MIDDLE_BINS);
}
