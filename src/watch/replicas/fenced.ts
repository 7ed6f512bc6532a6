/** Calls that change a cluster, each of them only if this replica leads at that moment. */
import { withMethods } from '../../base/with-methods.ts';
import type { ClusterActions, Refused } from '../../live/ports.ts';
import type { AlertDestination, NoticeDestination } from '../notify/destination.ts';
import type { Delivery } from '../../live/reply.ts';
import type { WatchStore, LeaderStore } from '../../store/ports.ts';
import type { NewRecord } from '../../store/records.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { WatchClock } from '../../base/clock.ts';

/** Asks who leads right before a call. */
export type MayAct = () => Promise<boolean>;

const NOT_LEADER = 'another replica leads now; this one does nothing more';

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

/** Alerts and notices leave only from the replica that leads at that moment. */
const NOT_SENT: Delivery = { kind: 'failed', why: NOT_LEADER };

export function fencedAlerts(destination: AlertDestination, mayAct: MayAct): AlertDestination {
  return withMethods(destination, {
    post: async (alerts, signal) => ((await mayAct()) ? destination.post(alerts, signal) : NOT_SENT),
  });
}

export function fencedNotices(destination: NoticeDestination, mayAct: MayAct): NoticeDestination {
  return withMethods(destination, {
    deliver: async (notice, signal) => ((await mayAct()) ? destination.deliver(notice, signal) : NOT_SENT),
  });
}

/**
 * The store as the leader's work uses it: what only the leader writes is compared with its term. `leader` is undefined
 * while this replica does not lead: then nothing of that is taken.
 */
export function storeOfLeader(store: WatchStore, leader: () => LeaderStore | undefined): WatchStore {
  return withMethods(store, {
    put: record => (isOfReplica(record) ? store.put(record) : (leader()?.put(record) ?? false)),
    commit: async () => ({ committed: (await leader()?.commit()) === 'committed', samples: 0 }),
  });
}

/** What any replica writes about the targets that it samples. */
function isOfReplica(
  given: NewRecord,
): given is NewRecord & { readonly kind: 'event' | 'verdict-change' | 'incident' } {
  return given.kind === 'event' || given.kind === 'verdict-change' || given.kind === 'incident';
}

/** Work of the leader: begun for each term that this replica leads, ended when it does not lead any more. */
export interface LeadingParts {
  readonly share: { readonly term: number | undefined };
  readonly clock: WatchClock;
  readonly log: (line: string) => void;
}

const LOOK_SECONDS = 0.5;
const RETRY_SECONDS = 5;

export async function runWhileLeading(
  { share, clock, log }: LeadingParts,
  duty: (term: number, signal: AbortSignal) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const { term } = share;
    if (term === undefined) {
      await clock.sleep(LOOK_SECONDS, stopping);
      continue;
    }
    const over = new AbortController();
    const following = (async () => {
      while (share.term === term && !stopping.aborted && !over.signal.aborted)
        await clock.sleep(LOOK_SECONDS, stopping);
      over.abort();
    })();
    try {
      await duty(term, over.signal);
    } catch (error) {
      log(`as leader: ${oneLine((error as Error).message)}; will try again`);
      await clock.sleep(RETRY_SECONDS, over.signal);
    }
    over.abort();
    await following;
  }
}
