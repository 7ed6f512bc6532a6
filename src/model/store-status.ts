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
  /** Samples that were refused since the store was opened. */
  readonly lostSamples: number;
}
