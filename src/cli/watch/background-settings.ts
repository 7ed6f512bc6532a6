/** Messages between the main thread and the background thread of a watch. */
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { LeastGrowth } from '../options/detector.ts';

export interface BackgroundSettings {
  readonly timeScale: number;
  readonly leastGrowth: LeastGrowth;
  /** Limits that no metric shows: by target, by cluster where there are several, and for all others. */
  readonly limitBytesByTarget: Readonly<Record<string, number>>;
  readonly limitBytesByCluster?: Readonly<Record<string, number>>;
  readonly limitBytes: number | undefined;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

/** The verdicts of one evaluation, waiting to be fetched. */
export interface KeptVerdicts {
  readonly id: number;
  readonly count: number;
}
