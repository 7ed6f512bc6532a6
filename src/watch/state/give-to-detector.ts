/** Samples go to the detector of whoever judges their target. */
import type { DetectorRow } from '../background.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';

export function giveToDetector({ pending }: WatchState, target: WatchedTarget, row: DetectorRow): void {
  // Its past comes first.
  if (target.isReading) target.held.push(row);
  // Otherwise it is read from the store, with its past.
  else if (target.isJudged && !target.isBehind) pending.push(row);
}
