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
  /** What lives of the fleet that began like this one did before they settled. */
  readonly kin: Kin;
  /** What its lives before this one had; NaN if there are none. */
  readonly own: number;
  /** How many times their level healthy processes reach in this time. */
  readonly most: number;
  /** How much longer it must go on to be proved; undefined if that is not known. */
  readonly moreMinutes: number | undefined;
}

export interface Kin {
  readonly lives: number;
  /** The level at which the median of them settled, and the highest that four fifths of them had; NaN if unknown. */
  readonly usual: number;
  readonly high: number;
}

export interface FastProof {
  readonly rise: FastRise;
  readonly fineBin: number;
  readonly epoch: number;
}
