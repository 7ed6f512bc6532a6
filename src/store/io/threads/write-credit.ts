/**
 * How much may wait in the other thread, counted on this side: whether a write is taken has to be known at once, and the
 * other side answers later.
 *
 *     written                    everything that was ever sent
 *     settled                    the part of it that the other side had when it last answered
 *     reported                   what waited there at that moment, because it was not committed yet
 *
 *     reported + written - settled < maxBytes      there is room
 *
 * The other side must take whatever there was room for here.
 */
import { type StoreStatus, withLosses } from '../../store-status.ts';

/** What had been written when a call was made. */
export interface Mark {
  readonly bytes: number;
  readonly samples: number;
}

export class WriteCredit {
  /** Samples that there was no room for. */
  lostSamples = 0;
  readonly #maxBytes: number;
  #written: Mark = { bytes: 0, samples: 0 };
  #settled: Mark = { bytes: 0, samples: 0 };
  #reported: StoreStatus;

  constructor(maxBytes: number, status: StoreStatus) {
    this.#maxBytes = maxBytes;
    this.#reported = status;
  }

  get hasRoom(): boolean {
    return this.#reported.waitingBytes + this.#written.bytes - this.#settled.bytes < this.#maxBytes;
  }

  write(bytes: number, samples: number): void {
    this.#written = { bytes: this.#written.bytes + bytes, samples: this.#written.samples + samples };
  }

  mark(): Mark {
    return this.#written;
  }

  /** The other side answered a call, with its status after everything that had been written at the mark. */
  settle(mark: Mark, status: StoreStatus): void {
    this.#reported = status;
    // Answers may overtake each other: a capture takes longer than a commit.
    if (mark.bytes > this.#settled.bytes) this.#settled = mark;
  }

  status(): StoreStatus {
    const { degraded } = this.#reported;
    const lostSamples = this.#reported.lostSamples + this.lostSamples;
    return {
      ...this.#reported,
      degraded: this.hasRoom ? degraded : withLosses(degraded ?? 'The disk is too slow.', lostSamples),
      waitingSamples: this.#reported.waitingSamples + this.#written.samples - this.#settled.samples,
      waitingBytes: this.#reported.waitingBytes + this.#written.bytes - this.#settled.bytes,
      lostSamples,
    };
  }
}
