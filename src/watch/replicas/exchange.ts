/**
 * What replicas tell each other through the store that they share, beside what the store keeps.
 *
 *     await exchange.publish(news);                    // after each commit
 *     const { news, isComplete } = await exchange.read();   // what the others published since the last reading
 */
import type { News, ToldVerdict } from './news.ts';
import type { LeaderStore } from '../../store/leader-store.ts';

export interface NewsRead {
  /** In the order in which each replica published them. */
  readonly news: readonly { readonly from: string; readonly news: News }[];
  /** False if some are gone before they were read: whoever reads must look at the store itself. */
  readonly isComplete: boolean;
}

export interface Exchange {
  /** News are kept for some minutes. Rejects if the store does not answer. */
  publish(news: News): Promise<void>;
  /** The first reading begins with what was published in the last minutes, also by an earlier process of this replica. */
  read(): Promise<NewsRead>;
  /** The last word about each target. */
  putVerdicts(verdicts: readonly ToldVerdict[]): Promise<void>;
  /** Those that are newer than `since`, in Unix seconds; some at a time. */
  verdicts(since: number): AsyncIterable<readonly ToldVerdict[]>;
  /** For the leader of this term; from its first commit on, those of earlier terms are refused. */
  lead(term: number): LeaderStore;
  /** True if nobody else takes a capture of the target; for so long, or until it is released. */
  claimCapture(target: string, seconds: number): Promise<boolean>;
  releaseCapture(target: string): Promise<void>;
}
