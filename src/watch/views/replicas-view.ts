/** Who shares the targets, and how. */
import type { ReplicasView } from '../replicas/replica.ts';
import { isSelf } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';

export function replicasView({ share, targets }: Pick<WatchState, 'share' | 'targets'>, id: string): ReplicasView {
  const shares: Record<string, number> = Object.fromEntries(share.members.map(one => [one.id, 0]));
  for (const name of targets.keys()) {
    const owner = isSelf(name) ? undefined : share.ownerOf(name);
    if (owner !== undefined) shares[owner] = (shares[owner] ?? 0) + 1;
  }
  const { members, leader, isLeader, trouble } = share;
  return { id, members, leader, isLeader, shares, trouble };
}
