/** A rise on the fast scale, and the last one that proved a leak. */
export interface FastRise {
  readonly verdict: 'leak' | 'watch';
  /** In minutes of the detector. */
  readonly minutes: number;
  readonly from: number;
  readonly to: number;
  readonly perHour: number;
  readonly perHourError: number;
  readonly steadiness: number;
  /** Calls to the container runtime have failed since it began, so work that waits for them piles up. */
  readonly peerHangs: boolean;
  /** Pods have started far more often since it began. */
  readonly isBusy: boolean;
  /** The highest value that this target had before the rise; NaN if unknown. */
  readonly record: number;
}

export interface FastProof {
  readonly rise: FastRise;
  readonly fineBin: number;
  readonly epoch: number;
}
