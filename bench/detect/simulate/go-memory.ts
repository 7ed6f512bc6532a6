/**
 * Turns the live heap of a Go process into the numbers that it exposes.
 *
 *     goal  - - -/|- -/|     heap in use climbs from the live size to the garbage collector's goal and falls back
 *     live  ____/ |__/ |__   (or to what is allocated in the two minutes after which a collection is forced)
 *     RSS   keeps the peak and returns the rest slowly
 */
import type { ProcessTraits } from './pool.ts';

const FORCED_COLLECTION_SECONDS = 120;
const RESIDENT_BYTES_PER_THREAD = 60_000;

export interface GoMemory {
  readonly heapInUseBytes: number;
  readonly residentBytes: number;
  readonly stackBytes: number;
}

export interface GoMemoryLoad {
  readonly liveBytes: number;
  readonly goroutines: number;
  readonly threads: number;
  /** GOGC as a factor. */
  readonly gogc: number;
}

export class GoRuntime {
  #heapHeld = 0;
  #stackHeld = 0;

  readonly #traits: ProcessTraits;

  constructor(traits: ProcessTraits) {
    this.#traits = traits;
  }

  restart(): void {
    this.#heapHeld = 0;
    this.#stackHeld = 0;
  }

  /** `phase` 0..1: how far the process is from the last collection to the next. */
  advance(hours: number, load: GoMemoryLoad, phase: number): GoMemory {
    const traits = this.#traits;
    const least = load.liveBytes * traits.fragmentation;
    const peak = heapPeak(traits, load);
    this.#heapHeld = ratchet(this.#heapHeld, peak, 1.05, hours / traits.scavengerHours);
    const stacks = traits.stackBytesPerGoroutine * load.goroutines;
    this.#stackHeld = ratchet(this.#stackHeld, stacks, 1, hours / 0.2);
    return {
      heapInUseBytes: Math.round(least + (peak - least) * phase),
      residentBytes: Math.round(this.#heapHeld + this.#stackHeld + fixedBytes(traits, load)),
      stackBytes: Math.round(this.#stackHeld / 8192) * 8192,
    };
  }
}

/** The resident memory that a lasting load leads to. */
export function settledResidentBytes(traits: ProcessTraits, load: GoMemoryLoad): number {
  return heapPeak(traits, load) + traits.stackBytesPerGoroutine * load.goroutines + fixedBytes(traits, load);
}

function heapPeak(traits: ProcessTraits, { liveBytes, gogc }: GoMemoryLoad): number {
  const garbage = Math.min(liveBytes * gogc, traits.allocationBytesPerSecond * FORCED_COLLECTION_SECONDS);
  return liveBytes * traits.fragmentation + garbage;
}

function fixedBytes(traits: ProcessTraits, { threads }: GoMemoryLoad): number {
  return traits.offHeapBytes + threads * RESIDENT_BYTES_PER_THREAD;
}

/** Rises at once; falls to what is in use, plus some slack, over the time constant. */
function ratchet(held: number, inUse: number, slack: number, timeConstants: number): number {
  if (inUse >= held) return inUse;
  const floor = inUse * slack;
  return floor >= held ? held : floor + (held - floor) * Math.exp(-timeConstants);
}
