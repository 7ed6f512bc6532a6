/** Calls that change a cluster, each of them only if this replica leads at that moment. */
import type { ClusterActions, Refused } from '../../live/cluster-actions.ts';
import { withMethods } from '../../base/with-methods.ts';

/** Asks who leads right before a call. */
export type MayAct = () => Promise<boolean>;

export const NOT_LEADER = 'another replica leads now; this one does nothing more';

const REFUSED: Refused = {
  kind: 'refused',
  status: 409,
  reason: 'NotLeader',
  message: NOT_LEADER,
  causes: [],
  retryAfterSeconds: undefined,
};

export function fencedActions(actions: ClusterActions, mayAct: MayAct): ClusterActions {
  const fenced =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R | Refused> =>
      (await mayAct()) ? call(...args) : REFUSED;
  return withMethods(actions, {
    request: async request => (request.method === 'GET' || (await mayAct()) ? actions.request(request) : REFUSED),
    patchNode: fenced((name, patch) => actions.patchNode(name, patch)),
    patchNodeConditions: fenced((name, conditions) => actions.patchNodeConditions(name, conditions)),
    createPod: fenced((namespace, pod) => actions.createPod(namespace, pod)),
    deletePod: fenced(pod => actions.deletePod(pod)),
    evict: fenced((pod, options) => actions.evict(pod, options)),
    createLease: fenced((namespace, lease) => actions.createLease(namespace, lease)),
    replaceLease: fenced((namespace, name, lease) => actions.replaceLease(namespace, name, lease)),
    createEvent: fenced((namespace, event) => actions.createEvent(namespace, event)),
  });
}
