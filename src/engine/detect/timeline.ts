/** The strips of one target in time order: samples of one moment come together, whichever inputs they are from. */
import type { Strip } from './strip.ts';

export interface Moment {
  readonly atSeconds: number;
  /** Metric name -> value. */
  readonly values: Readonly<Record<string, number>>;
}

export class Timeline {
  readonly strips: readonly Strip[];
  /** Columns over the rows of all strips: when, and of which strip; its rows begin at `firsts`. */
  private readonly times: Float64Array;
  private readonly stripOf: Uint32Array;
  private readonly firsts: readonly number[];
  /** Rows in time order. */
  private readonly order: Uint32Array;
  private next = 0;

  constructor(strips: readonly Strip[]) {
    this.strips = strips;
    const firsts: number[] = [];
    let count = 0;
    for (const { times } of strips) {
      firsts.push(count);
      count += times.length;
    }
    const times = new Float64Array(count);
    this.stripOf = new Uint32Array(count);
    strips.forEach((strip, number) => {
      times.set(strip.times, firsts[number]);
      this.stripOf.fill(number, firsts[number], firsts[number] + strip.times.length);
    });
    this.times = times;
    this.firsts = firsts;
    this.order = Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b] || a - b);
  }

  get rowCount(): number {
    return this.order.length;
  }

  get fromSeconds(): number {
    return this.timeAt(0);
  }

  get toSeconds(): number {
    return this.timeAt(this.order.length - 1);
  }

  /** The moments that were not given yet, up to a time. */
  *until(atSeconds: number): Generator<Moment> {
    while (this.timeAt(this.next) <= atSeconds) {
      const now = this.timeAt(this.next);
      const values: Record<string, number> = {};
      // Of the same metric twice at one time, the input that came later counts.
      for (; this.timeAt(this.next) === now; this.next++) this.fill(values, this.order[this.next]);
      yield { atSeconds: now, values };
    }
  }

  /** NaN beyond the end. */
  private timeAt(index: number): number {
    return index < this.order.length ? this.times[this.order[index]] : NaN;
  }

  private fill(into: Record<string, number>, row: number): void {
    const strip = this.stripOf[row];
    const { metrics, values } = this.strips[strip];
    const first = (row - this.firsts[strip]) * metrics.length;
    for (let i = 0; i < metrics.length; i++) {
      const value = values[first + i];
      if (!Number.isNaN(value)) into[metrics[i]] = value;
    }
  }
}
