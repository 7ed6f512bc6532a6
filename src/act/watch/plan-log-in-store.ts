/** The log of a plan in the store of a watch. Each record is on disk before `append` resolves. */
import { Failure } from '../../base/failure.ts';
import type { PlanLog } from '../plan-log-port.ts';
import type { PlanStore } from '../../store/plan-store.ts';
import type { StoreSession } from '../../store/store-session.ts';

export function planLogInStore(
  store: PlanStore & Pick<StoreSession, 'commit'>,
  planId: string,
  onRecord: () => void,
): PlanLog {
  return {
    place: 'the store of oakum watch',
    read: () => store.planRecords(planId),
    async append(record) {
      if (!store.addPlanRecord(record)) throw new Failure('cannot-write', 'the store of oakum watch takes no more');
      const { committed } = await store.commit();
      if (!committed) throw new Failure('cannot-write', 'the store of oakum watch cannot be written');
      onRecord();
    },
  };
}
