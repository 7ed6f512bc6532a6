/** How counts change: what each had in the last minutes, by a key. */
interface Sample {
  readonly atSeconds: number;
  readonly counts: ReadonlyMap<string, number>;
}

const WINDOW_SECONDS = 60;
/** Shorter spans show noise. */
const MIN_SECONDS = 1;

export class RecentCounts {
  #samples: Sample[] = [];

  add(atSeconds: number, counts: ReadonlyMap<string, number>): void {
    this.#samples.push({ atSeconds, counts });
    // One sample at the far end of the window or beyond it stays, to compare with.
    while (atSeconds - (this.#samples[1]?.atSeconds ?? Infinity) >= WINDOW_SECONDS) this.#samples.shift();
  }

  /** Null before the second sample. A key that was not there had 0. */
  perMinute(key: string): number | null {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return null;
    const seconds = last.atSeconds - first.atSeconds;
    if (seconds < MIN_SECONDS) return null;
    return (((last.counts.get(key) ?? 0) - (first.counts.get(key) ?? 0)) * 60) / seconds;
  }

  clear(): void {
    this.#samples = [];
  }
}
