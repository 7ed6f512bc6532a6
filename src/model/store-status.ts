export interface CommitResult {
  readonly committed: boolean;
  /** Samples that this commit made durable. */
  readonly samples: number;
}

export interface StoreStatus {
  /** Stored, profiles included. */
  readonly bytes: number;
  /** A sentence while something cannot be kept; null when all is well. */
  readonly degraded: string | null;
  /** Samples that wait in memory for the next commit. */
  readonly waitingSamples: number;
  /** Memory that everything that waits takes up. */
  readonly waitingBytes: number;
  /** Samples that were not taken since the store was opened. */
  readonly lostSamples: number;
}

/** What `degraded` says while no more can wait. */
export function withLosses(degraded: string, lostSamples: number): string {
  return `${degraded} There is no room for more: ${lostSamples} samples were lost.`;
}
