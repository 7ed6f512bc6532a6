/** Samples go to the detector of whoever judges their target. */
import type { DetectorRow } from '../../../ports/background.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';

export function giveToDetector({ pending }: WatchState, target: WatchedTarget, row: DetectorRow): void {
  if (!target.isJudged) return;
  // Its past comes first.
  if (target.isBehind) target.held.push(row);
  else pending.push(row);
}
