/**
 * The live heap of a process that exposes only `go_memstats_*`, from the goal of its collector.
 *
 *     goal   ‾‾‾‾|____|‾‾‾‾‾   next_gc: (1 + GOGC) times what the last collection found
 *     alloc  _/|_/|_/|_/|_/|   between the live heap and the goal: a sawtooth
 *
 * The lowest alloc in many samples, as a share of the goal, is the share that is live: a half at GOGC=100. The goal has
 * no sawtooth, so the goal times this share follows the live heap from one collection to the next. It stays right near
 * GOMEMLIMIT and with GOGC=off, where the goal is lower or higher and the share changes with it.
 */
const SAMPLES = 32;
/** With fewer samples the lowest may be far above the live heap. */
const LEAST_SAMPLES = 16;
const USUAL_SHARE = 0.5;

export class GoalHeap {
  readonly #shares = new Float32Array(SAMPLES).fill(Infinity);
  #count = 0;

  /** `allocBytes` is NaN where it is not exposed. */
  liveBytes(goalBytes: number, allocBytes: number): number {
    const share = allocBytes / goalBytes;
    if (share > 0) this.#shares[this.#count++ % SAMPLES] = Math.min(share, 1);
    if (this.#count === 0) return USUAL_SHARE * goalBytes;
    let lowest = 1;
    for (const one of this.#shares) if (one < lowest) lowest = one;
    return goalBytes * (this.#count < LEAST_SAMPLES ? Math.min(lowest, USUAL_SHARE) : lowest);
  }

  restart(): void {
    this.#shares.fill(Infinity);
    this.#count = 0;
  }
}
