/** Events, verdict changes, incidents and settings: rows for the next commit, and rows read back. */
import { parseJson } from '../../base/json.ts';
import type { WatchedEvent } from '../../model/watch.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { StoredIncident, StoredVerdictChange } from '../../model/stored-records.ts';
import type { Resource } from '../../model/resource.ts';
import type { TargetEvent } from '../../ports/incident-store.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';

/** Events come from outside and may be of any length. */
const MAX_TEXT_LENGTH = 4_000;
const MAX_ROWS = 50_000;

export interface Insertion {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export function eventRow(target: string, { at, kind, text }: WatchedEvent): Insertion {
  return {
    sql: 'INSERT INTO events (target, at, kind, text) VALUES (?, ?, ?, ?)',
    values: [target, at, kind, text.slice(0, MAX_TEXT_LENGTH)],
  };
}

export function verdictChangeRow(change: StoredVerdictChange): Insertion {
  return {
    sql: `INSERT INTO verdict_changes (target, at, resource, from_verdict, to_verdict, reason)
          VALUES (?, ?, ?, ?, ?, ?)`,
    values: [
      change.target,
      change.at,
      change.resource,
      change.from,
      change.to,
      change.reason.slice(0, MAX_TEXT_LENGTH),
    ],
  };
}

export function incidentRow({ id, target, openedAt, closedAt, version, document }: StoredIncident): Insertion {
  return {
    sql: `INSERT OR REPLACE INTO incidents (id, target, opened_at, closed_at, version, document)
          VALUES (?, ?, ?, ?, ?, ?)`,
    values: [id, target, openedAt, closedAt, version, JSON.stringify(document)],
  };
}

export function metaRow(key: string, value: string): Insertion {
  return { sql: 'INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', values: [key, value] };
}

/** In time order; of too many, the newest. */
export function readEvents(db: Database, target: string, from: number, to: number): WatchedEvent[] {
  const rows = db.all(
    `SELECT at, kind, text FROM events WHERE target = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC
     LIMIT ${MAX_ROWS}`,
    [target, from, to],
  );
  return rows
    .map(row => ({ at: Number(row.at), kind: row.kind as WatchedEvent['kind'], text: String(row.text) }))
    .reverse();
}

export function readEventsOfKind(db: Database, kind: WatchedEvent['kind'], from: number, to: number): TargetEvent[] {
  const rows = db.all(
    `SELECT target, at, text FROM events WHERE kind = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC
     LIMIT ${MAX_ROWS}`,
    [kind, from, to],
  );
  return rows.map(row => ({ target: String(row.target), at: Number(row.at), kind, text: String(row.text) })).reverse();
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
  return rows
    .map(row => ({
      at: Number(row.at),
      target: String(row.target),
      resource: row.resource as Resource,
      from: row.from_verdict as Verdict,
      to: row.to_verdict as Verdict,
      reason: String(row.reason),
    }))
    .reverse();
}

export function readIncidents(db: Database): StoredIncident[] {
  return db.all('SELECT * FROM incidents ORDER BY opened_at DESC, id').flatMap(row => incidentOf(row) ?? []);
}

export function readIncident(db: Database, id: string): StoredIncident | undefined {
  const row = db.get('SELECT * FROM incidents WHERE id = ?', [id]);
  return row && incidentOf(row);
}

/** Undefined if its document is damaged. */
function incidentOf(row: SqlRow): StoredIncident | undefined {
  const document = parseJson(String(row.document));
  if (typeof document !== 'object' || document === null) return undefined;
  return {
    id: String(row.id),
    target: String(row.target),
    openedAt: Number(row.opened_at),
    closedAt: row.closed_at === null ? null : Number(row.closed_at),
    version: Number(row.version),
    document,
  };
}

export function readMeta(db: Database, key: string): string | undefined {
  const row = db.get('SELECT value FROM meta WHERE key = ?', [key]);
  return row && String(row.value);
}
