/** How a watch judges a node, for those who act on conditions. */
import type { Verdict } from '../../judge/verdict.ts';

export interface NodeStanding {
  readonly node: string;
  readonly verdict: Verdict;
  /** The verdict in one line. */
  readonly sentence: string;
  /** The known leak, `kubernetes#139823`; null if it is none. */
  readonly leakRef: string | null;
  readonly incidentId: string | null;
  /** Unix seconds; null if it is not known when the process started. */
  readonly startSeconds: number | null;
  /** False after a restart, until it is known whether the leak came back: the verdict is still about the time before. */
  readonly isOfThisLife: boolean;
}
