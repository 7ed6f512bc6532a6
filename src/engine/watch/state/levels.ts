/** A target's resources over time, coarse enough to keep in memory for every target; the fleet page draws them. */
import { elementAt } from '../../../base/assert.ts';
import { firstFinite } from '../../../base/finite.ts';
import type { Resource } from '../../../model/resource.ts';
import { RESOURCE_RULES } from '../../../analysis/detect/state/resource-rules.ts';

const COARSE_SECONDS = 3600;
const COARSE_BINS = 14 * 24;
const FINE_SECONDS = 600;
const FINE_BINS = 2 * 24 * 6;

/** Users look at these first, so they are kept in finer steps. */
const FINE: ReadonlySet<Resource> = new Set<Resource>(['goroutines', 'live heap']);

export class Levels {
  readonly #rings = new Map<Resource, { readonly coarse: LevelRing; readonly fine: LevelRing | undefined }>();
  readonly #timeScale: number;

  constructor(timeScale: number) {
    this.#timeScale = timeScale;
  }

  add(at: number, values: Readonly<Record<string, number>>): void {
    for (const { resource, sources } of RESOURCE_RULES) {
      const value = firstFinite(
        values,
        sources.map(({ metric }) => metric),
      );
      if (value === undefined) continue;
      let rings = this.#rings.get(resource);
      if (rings === undefined) {
        const ring = (seconds: number, bins: number): LevelRing => new LevelRing(seconds / this.#timeScale, bins);
        rings = {
          coarse: ring(COARSE_SECONDS, COARSE_BINS),
          fine: FINE.has(resource) ? ring(FINE_SECONDS, FINE_BINS) : undefined,
        };
        this.#rings.set(resource, rings);
      }
      rings.coarse.add(at, value);
      rings.fine?.add(at, value);
    }
  }

  /** The mean level in each of the bins; null where there was none. */
  spark(resource: Resource, from: number, stepSeconds: number, count: number): (number | null)[] {
    const rings = this.#rings.get(resource);
    if (rings === undefined) return new Array<null>(count).fill(null);
    const isFine = stepSeconds * this.#timeScale < COARSE_SECONDS;
    const ring = isFine && rings.fine !== undefined ? rings.fine : rings.coarse;
    return Array.from({ length: count }, (_, i) => ring.mean(from + i * stepSeconds, from + (i + 1) * stepSeconds));
  }
}

/** Means of the newest bins, which are equally long. */
class LevelRing {
  readonly #seconds: number;
  readonly #values: Float32Array;
  /** The number of the newest bin. */
  #bin = -1;
  #sum = 0;
  #count = 0;

  constructor(seconds: number, bins: number) {
    this.#seconds = seconds;
    this.#values = new Float32Array(bins).fill(NaN);
  }

  add(at: number, value: number): void {
    const bin = Math.floor(at / this.#seconds);
    if (bin > this.#bin) {
      const length = this.#values.length;
      for (let gap = Math.max(this.#bin + 1, bin - length + 1); gap <= bin; gap++) this.#values[gap % length] = NaN;
      this.#bin = bin;
      this.#sum = this.#count = 0;
    }
    // If the clock goes back, the newest bin counts.
    this.#sum += value;
    this.#count++;
    this.#values[this.#bin % this.#values.length] = this.#sum / this.#count;
  }

  mean(from: number, to: number): number | null {
    const length = this.#values.length;
    // At least the bin with `from`: bins may be wider than the range.
    const first = Math.max(Math.floor(from / this.#seconds), this.#bin - length + 1);
    const last = Math.min(Math.max(Math.ceil(to / this.#seconds) - 1, Math.floor(from / this.#seconds)), this.#bin);
    let [sum, count] = [0, 0];
    for (let bin = first; bin <= last; bin++) {
      const value = elementAt(this.#values, bin % length);
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
    return count === 0 ? null : sum / count;
  }
}
