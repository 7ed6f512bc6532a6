/** Plans are shown by every replica; they are made, applied and followed by the one that leads. */
import type { Refused, WatchPlans } from './create-watch-plans.ts';
import type { Share } from '../../watch/state/share.ts';
import type { ReplicaMember } from '../../watch/replicas/update.ts';

export function plansOfLeader(plans: WatchPlans, share: Pick<Share, 'isLeader' | 'leader' | 'members'>): WatchPlans {
  const refusal = (): Refused | undefined => (share.isLeader ? undefined : { refused: whereToGo(share) });
  return {
    ...plans,
    make: async (incidentId, asked) => refusal() ?? plans.make(incidentId, asked),
    apply: async (planId, approval) => refusal() ?? plans.apply(planId, approval),
    abort: async (planId, approval) => refusal() ?? plans.abort(planId, approval),
    follow: async () => (share.isLeader ? plans.follow() : undefined),
  };
}

function whereToGo({ leader, members }: Pick<Share, 'leader' | 'members'>): string {
  if (leader === null)
    return 'plans are made and applied by the replica that leads; none does now, try again in a minute';
  const address = members.find(({ id }: ReplicaMember) => id === leader.id)?.address ?? null;
  return `plans are made and applied by the replica that leads, ${leader.id}${address === null ? '' : ` at ${address}`}`;
}
