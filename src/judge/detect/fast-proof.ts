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
  /** What tells the level that it should have. */
  readonly knows: 'its level' | 'lives before' | 'nothing';
  /** What its lives before this one had; NaN if there are none. */
  readonly own: number;
  /** What other processes of the same program usually have; NaN if unknown. */
  readonly peers: number;
  /** How many times their level healthy processes reach in this time. */
  readonly most: number;
  /** How much longer it must go on to be proved; undefined if that is not known. */
  readonly moreMinutes: number | undefined;
}

export interface FastProof {
  readonly rise: FastRise;
  readonly fineBin: number;
  readonly epoch: number;
}
