export interface CommitResult {
  readonly committed: boolean;
  /** Samples that this commit made durable. */
  readonly samples: number;
}

export interface StoreStatus {
  /** On disk, including profiles. */
  readonly bytes: number;
  /** A sentence while something cannot be stored; null if all is well. */
  readonly degraded: string | null;
  /** Samples waiting in memory for the next commit. */
  readonly waitingSamples: number;
  /** Memory used by everything that is waiting. */
  readonly waitingBytes: number;
  /** Samples refused since the store was opened. */
  readonly lostSamples: number;
}

/** The text of `degraded` once no more can wait. */
export function withLosses(degraded: string, lostSamples: number): string {
  return `${degraded} There is no room for more: ${lostSamples} samples were lost.`;
}
