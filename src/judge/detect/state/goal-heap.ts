/**
 * The live heap of a process that exposes only `go_memstats_*`, from the goal of its collector.
 *
 *     goal   ‾‾‾‾|____|‾‾‾‾‾   next_gc: (1 + GOGC) times what the last collection found
 *     alloc  _/|_/|_/|_/|_/|   between the live heap and the goal: a sawtooth
 *
 * The lowest alloc of this life, as a share of the goal, is the share that is live: a half at GOGC=100. GOGC does not
 * change, so the goal times this one share follows the live heap without a sawtooth. The share is found step by step;
 * each time it is corrected, the levels kept so far are corrected with it.
 *
 * A memory limit, or GOGC=off, holds the goal while the live heap grows: then the lowest share of the last samples is
 * far above that of the life, and counts instead.
 */
const SAMPLES = 32;
/** A scrape that always meets a collection at the same phase sees a third more than is live. */
const HELD_GOAL = 1.4;
const USUAL_SHARE = 0.5;
/** The goal is never below 4 MiB times GOGC, however little is live; so small a goal says nothing at GOGC=400 or less. */
const FLOOR_GOAL_BYTES = 16 * 1024 * 1024;

export class GoalHeap {
  readonly #shares = new Float32Array(SAMPLES).fill(Infinity);
  #count = 0;
  #lowest = NaN;
  #correction = 1;

  /** `allocBytes` is NaN where it is not exposed. */
  liveBytes(goalBytes: number, allocBytes: number): number {
    const share = Math.min(1, allocBytes / goalBytes);
    this.#correction = 1;
    if (share > 0 && goalBytes > FLOOR_GOAL_BYTES) {
      this.#shares[this.#count++ % SAMPLES] = share;
      if (!(share >= this.#lowest)) {
        this.#correction = share / (Number.isNaN(this.#lowest) ? USUAL_SHARE : this.#lowest);
        this.#lowest = share;
      }
    }
    if (Number.isNaN(this.#lowest)) return USUAL_SHARE * goalBytes;
    const recent = this.#count < SAMPLES ? this.#lowest : this.#shares.reduce((a, b) => Math.min(a, b));
    return goalBytes * (recent > HELD_GOAL * this.#lowest ? recent : this.#lowest);
  }

  /** What the last sample showed earlier levels to be, as a factor of what was said. */
  get correction(): number {
    return this.#correction;
  }

  restart(): void {
    this.#shares.fill(Infinity);
    this.#count = 0;
    this.#lowest = NaN;
    this.#correction = 1;
  }
}
