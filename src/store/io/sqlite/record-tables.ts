/** Events, verdict changes, incidents, settings, notices and plans: statements for the next commit, and rows read back. */
import {
  type Cells,
  eventOf,
  incidentOf,
  MAX_PLANS,
  MAX_ROWS,
  noticeOf,
  planOf,
  planRecordOf,
  RECORD_TABLES,
  type RecordRow,
  verdictChangeOf,
} from '../../codec/record-rows.ts';
import type { QueuedNotice } from '../../notification.ts';
import type { PlanRecord } from '../../plan-log.ts';
import type { StoredIncident, StoredPlan, StoredVerdictChange, WatchedEvent } from '../../records.ts';
import type { Database } from './database.ts';
import type { TargetEvent } from '../../ports.ts';

/** Within a transaction. */
export function saveRecord(db: Database, row: RecordRow): void {
  db.run(statementFor(row), row.values);
}

function statementFor({ table, isDropped }: RecordRow): string {
  const { columns, key, onRepeat } = RECORD_TABLES[table];
  const names = Object.keys(columns);
  if (isDropped === true) return `DELETE FROM ${table} WHERE ${key.map(name => `${name} = ?`).join(' AND ')}`;
  const verb = { add: 'INSERT', update: 'INSERT', replace: 'INSERT OR REPLACE', keep: 'INSERT OR IGNORE' }[onRepeat];
  const insert = `${verb} INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  if (onRepeat !== 'update') return insert;
  const changed = names.filter(name => !key.includes(name)).map(name => `${name} = excluded.${name}`);
  return `${insert} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changed.join(', ')}`;
}

/** In time order; of too many, the newest. */
export function readEvents(
  db: Database,
  target: string,
  from: number,
  to: number,
  kind?: WatchedEvent['kind'],
): WatchedEvent[] {
  const rows = db.all(
    `SELECT at, kind, text FROM events WHERE target = ? AND at BETWEEN ? AND ? ${kind === undefined ? '' : 'AND kind = ?'}
     ORDER BY at DESC, id DESC LIMIT ${MAX_ROWS}`,
    kind === undefined ? [target, from, to] : [target, from, to, kind],
  );
  return rows.map(eventOf).reverse();
}

export function readEventsOfKind(
  db: Database,
  kind: WatchedEvent['kind'],
  from: number,
  to: number,
  targets: readonly string[] | undefined,
): TargetEvent[] {
  if (targets !== undefined)
    return [...new Set(targets)]
      .flatMap(target => readEvents(db, target, from, to, kind).map(event => ({ target, ...event })))
      .sort((a, b) => a.at - b.at);
  const rows = db.all(
    `SELECT target, at, kind, text FROM events WHERE kind = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC
     LIMIT ${MAX_ROWS}`,
    [kind, from, to],
  );
  return rows.map(row => ({ target: String(row.target), ...eventOf(row) })).reverse();
}

export function readVerdictChanges(
  db: Database,
  from: number,
  to: number,
  target: string | undefined,
): StoredVerdictChange[] {
  const ofTarget = target === undefined ? '' : 'AND target = ?';
  const rows = db.all(
    `SELECT * FROM verdict_changes WHERE at BETWEEN ? AND ? ${ofTarget} ORDER BY at DESC, id DESC LIMIT ${MAX_ROWS}`,
    target === undefined ? [from, to] : [from, to, target],
  );
  return rows.map(verdictChangeOf).reverse();
}

export function readIncidents(db: Database): StoredIncident[] {
  return whole(db.all('SELECT * FROM incidents ORDER BY opened_at DESC, id'), incidentOf);
}

export function readIncident(db: Database, id: string): StoredIncident | undefined {
  return whole(db.all('SELECT * FROM incidents WHERE id = ?', [id]), incidentOf)[0];
}

export function readMeta(db: Database, key: string): string | undefined {
  const row = db.get('SELECT value FROM meta WHERE key = ?', [key]);
  return row && String(row.value);
}

export function readNotices(db: Database): QueuedNotice[] {
  return whole(db.all('SELECT destination, body FROM outbox ORDER BY id'), noticeOf);
}

/** Newest first. */
export function readPlans(db: Database): StoredPlan[] {
  return whole(db.all(`SELECT * FROM plans ORDER BY made_at DESC, id LIMIT ${MAX_PLANS}`), planOf);
}

export function readPlanRecords(db: Database, planId: string): PlanRecord[] {
  return whole(db.all('SELECT body FROM plan_records WHERE plan = ? ORDER BY number', [planId]), planRecordOf);
}

/** Without those that are damaged. */
function whole<T>(rows: readonly Cells[], read: (row: Cells) => T | undefined): T[] {
  return rows.flatMap(row => read(row) ?? []);
}
