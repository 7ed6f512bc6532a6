/**
 * One metric of one target over the last two weeks, one value per hour.
 *
 * samples of the current hour  ->  close()  ->  ring of 32-bit values, NaN if there are none
 */
import type { Aggregate } from '../../evidence/resource-rules.ts';

/** 14 days of hours, and the six hours back at which a verdict is checked again. */
export const RING_BINS = 344;

/** Samples of one hour that are kept: enough for a percentile, whatever the scrape interval. */
const KEPT_SAMPLES = 32;

const sorted = new Float64Array(KEPT_SAMPLES);

export abstract class Ring {
  readonly #ring: Float32Array;
  readonly #every: number;

  /** `every`: hours per value; metrics that only serve as explanations are kept coarser. */
  constructor(every: number) {
    this.#every = every;
    this.#ring = new Float32Array(Math.ceil(RING_BINS / every) + (every === 1 ? 0 : 1)).fill(NaN);
  }

  /** Ends the hour `bin`. */
  close(bin: number): void {
    if ((bin + 1) % this.#every === 0) this.#ring[this.#index(bin)] = this.take();
  }

  /** Hours without samples. */
  clear(fromBin: number, toBin: number): void {
    for (let bin = Math.max(fromBin, toBin - RING_BINS); bin < toBin; bin++) {
      if ((bin + 1) % this.#every === 0) this.#ring[this.#index(bin)] = this.take();
    }
  }

  at(bin: number): number {
    return this.#ring[this.#index(bin)];
  }

  /** The values from hour `fromBin` on. */
  copyTo(out: Float64Array, fromBin: number, count: number): void {
    const ring = this.#ring;
    const { length } = ring;
    if (this.#every !== 1) {
      for (let i = 0; i < count; i++) out[i] = this.at(fromBin + i);
      return;
    }
    let at = fromBin % length;
    for (let i = 0; i < count; i++) {
      out[i] = ring[at];
      if (++at === length) at = 0;
    }
  }

  /** The value of the hours that end, NaN if there is none; then starts over. */
  protected abstract take(): number;

  #index(bin: number): number {
    return Math.floor(bin / this.#every) % this.#ring.length;
  }
}

/** A gauge. */
export class BinColumn extends Ring {
  readonly #aggregate: Aggregate;
  readonly #pending = new Float32Array(KEPT_SAMPLES);
  #count = 0;
  #stride = 1;
  #skip = 0;

  constructor(aggregate: Aggregate, every = 1) {
    super(every);
    this.#aggregate = aggregate;
  }

  add(value: number): void {
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    if (this.#count === KEPT_SAMPLES) {
      // From here on every other sample, which keeps them evenly spread over the hour.
      for (let i = 0; i < KEPT_SAMPLES / 2; i++) this.#pending[i] = this.#pending[2 * i];
      this.#count = KEPT_SAMPLES / 2;
      this.#stride *= 2;
    }
    this.#pending[this.#count++] = value;
    this.#skip = this.#stride - 1;
  }

  /** Forgets the current hour. */
  drop(): void {
    this.#count = 0;
    this.#stride = 1;
    this.#skip = 0;
  }

  protected take(): number {
    const count = this.#count;
    this.drop();
    if (count === 0) return NaN;
    const values = sorted.subarray(0, count);
    values.set(this.#pending.subarray(0, count));
    if (this.#aggregate === 'mean') return values.reduce((sum, value) => sum + value, 0) / count;
    values.sort();
    if (this.#aggregate === 'floor') return values[0];
    return values[Math.floor((count - 1) * (this.#aggregate === 'low' ? 0.2 : 0.5))];
  }
}

/** A counter: its increase, across resets. */
export class CounterColumn extends Ring {
  readonly #every: number;
  #last = NaN;
  #sum = NaN;

  constructor(every = 1) {
    super(every);
    this.#every = every;
  }

  /** Its approximate increase over these hours; NaN if part of them was not seen. */
  sumOf(fromBin: number, toBin: number): number {
    let sum = 0;
    for (let bin = fromBin; bin < toBin; bin++) sum += this.at(bin) / this.#every;
    return sum;
  }

  /** True if the counter fell, which means a reset. */
  add(value: number): boolean {
    const last = this.#last;
    this.#last = value;
    if (Number.isNaN(last)) return false;
    const reset = value < last;
    const rise = reset ? value : value - last;
    this.#sum = Number.isNaN(this.#sum) ? rise : this.#sum + rise;
    return reset;
  }

  protected take(): number {
    const sum = this.#sum;
    this.#sum = NaN;
    return sum;
  }
}
