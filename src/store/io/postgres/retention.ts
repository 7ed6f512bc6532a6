/** Deletes old data, a bounded piece at a time; one process at a time. */
import { HOURS, type Level, LEVELS } from '../../codec/rollup.ts';
import type { Database, Session } from './database.ts';
import { lockOf } from './locks.ts';
import { dropPartitions } from './partitions.ts';
import { keptSeconds, type RetentionLimits } from '../../codec/store-limits.ts';

const DAY_SECONDS = 86_400;
const ROWS_AT_ONCE = 5_000;
/** Whatever their age: a cluster may produce very many. */
const MAX_EVENTS = 5_000_000;

/** Deletes for age only if the clock can be trusted. */
export async function forgetSome(
  db: Database,
  limits: RetentionLimits,
  now: number,
  isClockSteady: boolean,
): Promise<void> {
  const firstKept = (level: Level): number => Math.floor((now - keptSeconds(limits, level)) / level.slotSeconds);
  const isMine = await db.transaction(async session => {
    const [lock] = await session.all('SELECT pg_try_advisory_xact_lock($1, $2) AS is_free', [
      ...lockOf('retain', db.address.schema),
    ]);
    if (lock?.['is_free'] !== true) return false;
    if (isClockSteady) await forgetAged(session, limits, now, firstKept);
    await session.all(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id <= (SELECT max(id) FROM events) - ${MAX_EVENTS}
       ORDER BY id LIMIT ${ROWS_AT_ONCE})`,
    );
    await session.all(`DELETE FROM writers WHERE seen_at < now() - interval '30 days'`);
    return true;
  });
  if (isMine && isClockSteady) await dropPartitions(db, firstKept);
}

async function forgetAged(
  session: Session,
  limits: RetentionLimits,
  now: number,
  firstKept: (level: Level) => number,
): Promise<void> {
  for (const level of LEVELS) {
    const rest = `chunks_${level.stepSeconds}_other`;
    await session.all(
      `DELETE FROM ${rest} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${rest} WHERE slot < $1 LIMIT ${ROWS_AT_ONCE}))`,
      [firstKept(level)],
    );
  }
  const oldest = now - limits.recordDays * DAY_SECONDS;
  for (const table of ['events', 'verdict_changes'])
    await session.all(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < $1 ORDER BY at LIMIT ${ROWS_AT_ONCE})`,
      [oldest],
    );
  await session.all('DELETE FROM incidents WHERE closed_at < $1', [oldest]);
  await session.all('DELETE FROM plan_records WHERE plan IN (SELECT id FROM plans WHERE made_at < $1)', [oldest]);
  await session.all('DELETE FROM plans WHERE made_at < $1', [oldest]);
  // Targets that have no data left: scrapes wait for a day at most. Who asked for a number lately is about to write.
  await session.all(
    `DELETE FROM targets WHERE last_seen < $1 AND named_at < now() - interval '1 day'
       AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.target = targets.id)
       AND NOT EXISTS (SELECT 1 FROM captures WHERE md5(captures.target) = md5(targets.name))`,
    [now - keptSeconds(limits, HOURS) - HOURS.slotSeconds],
  );
}
