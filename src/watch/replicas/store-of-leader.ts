/** The store as the leader's work uses it: what only the leader writes is compared with its term. */
import { withMethods } from '../../base/with-methods.ts';
import type { LeaderStore } from '../../store/leader-store.ts';
import type { WatchStore } from '../../store/watch-store.ts';

/** `leader` is undefined while this replica does not lead: then nothing is taken. */
export function storeOfLeader(store: WatchStore, leader: () => LeaderStore | undefined): WatchStore {
  return withMethods(store, {
    putNotice: queued => leader()?.putNotice(queued) ?? false,
    dropNotice: (destination, noticeId) => leader()?.dropNotice(destination, noticeId) ?? false,
    putSetting: (key, value) => leader()?.putSetting(key, value) ?? false,
    addPlan: plan => leader()?.addPlan(plan) ?? false,
    addPlanRecord: record => leader()?.addPlanRecord(record) ?? false,
    commit: async () => ({ committed: (await leader()?.commit()) === 'committed', samples: 0 }),
  });
}
