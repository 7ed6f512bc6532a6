/**
 * Targets change hands when replicas come and go.
 *
 *     gained   sampled at once; judged when the detector has its past from the store; until then, the last verdict stands
 *     lost     not sampled any more; what others tell about it is shown
 *
 * The leader judges the whole fleet, since cohorts compare all targets; what it says about one target counts only if the
 * target is its own.
 */
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';

export interface ShareChange {
  readonly gained: readonly WatchedTarget[];
  readonly lost: readonly WatchedTarget[];
}

/** Compares the shares with what is known of the targets. */
export function reshare({ share, targets, ports }: WatchState, only?: WatchedTarget): ShareChange {
  const gained: WatchedTarget[] = [];
  const lost: WatchedTarget[] = [];
  const forgotten: string[] = [];
  // Not whether it may lead at this moment: without an answer for some seconds, the past of a fleet is not thrown away.
  const leads = share.id === undefined || share.leader?.id === share.id;
  for (const target of only === undefined ? targets.values() : [only]) {
    const isOwned = share.owns(target.name);
    if (isOwned !== target.isOwned) (isOwned ? gained : lost).push(target);
    target.isOwned = isOwned;
    const isJudged = isOwned || leads;
    if (isJudged === target.isJudged) continue;
    target.isJudged = isJudged;
    target.isBehind = share.id !== undefined;
    if (!isJudged) forgotten.push(target.name);
  }
  if (forgotten.length > 0) ports.background.forget(forgotten);
  return { gained, lost };
}

/** Whether what the detector of this replica says about a target counts. */
export function isJudgedHere(target: WatchedTarget | undefined): boolean {
  return target !== undefined && target.isOwned && !target.isBehind;
}
