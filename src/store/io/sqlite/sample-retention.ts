/**
 * Deletes old data, a bounded piece at a time: what is older than the retention of its level, and, beyond the byte
 * budget, the oldest of the level that has used most of its time, so that all levels shorten alike.
 */
import type { Database, SqliteLimits } from './database.ts';
import type { TargetTable } from './name-tables.ts';
import { HOURS, type Level, LEVELS } from '../../codec/chunk.ts';
import { keptSeconds } from '../../codec/store-limits.ts';

const DAY_SECONDS = 86_400;
const CHUNKS_AT_ONCE = 200;
const RECORDS_AT_ONCE = 1_000;
/** Whatever their age: a cluster may produce very many. */
const MAX_EVENTS = 500_000;
/** Pages returned to the file system at once. */
const PAGES_AT_ONCE = 100;

/** In its own transaction. Deletes for age only if the clock can be trusted. */
export function forgetSome(db: Database, limits: SqliteLimits, now: number, isClockSteady: boolean): void {
  db.transaction(() => {
    if (isClockSteady) forgetAged(db, limits, now);
    if (db.usedBytes() > limits.maxDatabaseBytes) forgetOldest(db, limits, now);
    db.run(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id <= (SELECT max(id) FROM events) - ${MAX_EVENTS}
       LIMIT ${RECORDS_AT_ONCE})`,
    );
  });
  db.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
}

function forgetAged(db: Database, limits: SqliteLimits, now: number): void {
  for (const level of LEVELS) {
    const oldestSlot = Math.floor((now - keptSeconds(limits, level)) / level.slotSeconds);
    db.run(
      `DELETE FROM chunks WHERE id IN
         (SELECT id FROM chunks WHERE step = ? AND slot < ? ORDER BY slot LIMIT ${CHUNKS_AT_ONCE})`,
      [level.stepSeconds, oldestSlot],
    );
  }
  const oldestRecord = now - limits.recordDays * DAY_SECONDS;
  for (const table of ['events', 'verdict_changes']) {
    db.run(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < ? ORDER BY at LIMIT ${RECORDS_AT_ONCE})`,
      [oldestRecord],
    );
  }
  db.run('DELETE FROM incidents WHERE closed_at < ?', [oldestRecord]);
  db.run('DELETE FROM plan_records WHERE plan IN (SELECT id FROM plans WHERE made_at < ?)', [oldestRecord]);
  db.run('DELETE FROM plans WHERE made_at < ?', [oldestRecord]);
}

function forgetOldest(db: Database, limits: SqliteLimits, now: number): void {
  let worst: { readonly level: Level; readonly used: number } | undefined;
  for (const level of LEVELS) {
    const row = db.get('SELECT min(slot) AS slot FROM chunks WHERE step = ?', [level.stepSeconds]);
    if (row === undefined || row.slot === null) continue;
    const used = (now - Number(row.slot) * level.slotSeconds) / keptSeconds(limits, level);
    if (worst === undefined || used > worst.used) worst = { level, used };
  }
  if (worst === undefined) return;
  db.run(
    `DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE step = ? ORDER BY slot LIMIT ${CHUNKS_AT_ONCE})`,
    [worst.level.stepSeconds],
  );
}

/** Deletes targets that have no data left. */
export function forgetTargets(db: Database, targets: TargetTable, limits: SqliteLimits, now: number): void {
  const oldest = now - keptSeconds(limits, HOURS) - HOURS.slotSeconds;
  for (const entry of targets.all()) {
    if (entry.lastSeenAt === -Infinity || entry.lastSeenAt >= oldest) continue;
    const hasData = db.get(
      'SELECT 1 FROM chunks WHERE target = ? UNION ALL SELECT 1 FROM captures WHERE target = ? LIMIT 1',
      [entry.id, entry.target],
    );
    if (hasData !== undefined) continue;
    db.run('DELETE FROM targets WHERE id = ?', [entry.id]);
    targets.forget(entry);
  }
}
