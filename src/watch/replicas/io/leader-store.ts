/** The leader's writes: each transaction begins by raising the fence to its term, which fails if a later one leads. */
import {
  bytesOf,
  droppedNotice,
  incidentRow,
  noticeRow,
  planRecordRow,
  planRow,
  type RecordRow,
  settingRow,
} from '../../../store/codec/record-rows.ts';
import type { LeaderCommit, LeaderStore } from '../../../store/leader-store.ts';
import type { Database } from '../../../store/io/postgres/database.ts';
import { writeRecords } from '../../../store/io/postgres/write-records.ts';

const RAISE = `
  INSERT INTO replica_fence AS f (authority, term) VALUES ($1, $2)
  ON CONFLICT (authority) DO UPDATE SET term = excluded.term WHERE f.term <= excluded.term RETURNING term`;
const MAX_WAITING_BYTES = 16 * 2 ** 20;

class StaleTerm extends Error {}

export function leaderStore(db: Database, authority: string, term: number): LeaderStore {
  let waiting: RecordRow[] = [];
  let waitingBytes = 0;
  let isStale = false;
  let committing: Promise<LeaderCommit> = Promise.resolve('committed');
  const add = (row: RecordRow): boolean => {
    if (isStale || waitingBytes > MAX_WAITING_BYTES) return false;
    waiting.push(row);
    waitingBytes += bytesOf(row);
    return true;
  };

  async function commit(): Promise<LeaderCommit> {
    if (isStale) return 'stale';
    const rows = waiting;
    waiting = [];
    try {
      // Rows are replaced or kept by their key: one that is written twice, since an answer got lost, does no harm.
      await db.transaction(async session => {
        if ((await session.all(RAISE, [authority, term])).length === 0) throw new StaleTerm();
        await writeRecords(session, rows, () => {});
      });
      waitingBytes = waiting.reduce((sum, row) => sum + bytesOf(row), 0);
      return 'committed';
    } catch (error) {
      waiting = [...rows, ...waiting];
      if (!(error instanceof StaleTerm)) return 'failed';
      isStale = true;
      waiting = [];
      return 'stale';
    }
  }

  return {
    putIncident: incident => add(incidentRow(incident)),
    putNotice: queued => add(noticeRow(queued)),
    dropNotice: (destination, noticeId) => add(droppedNotice(destination, noticeId)),
    putSetting: (key, value) => add(settingRow(key, value)),
    addPlan: plan => add(planRow(plan)),
    addPlanRecord: record => add(planRecordRow(record)),
    commit: () => (committing = committing.then(commit)),
  };
}
