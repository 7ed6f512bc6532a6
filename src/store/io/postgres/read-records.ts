/** Events, verdict changes, incidents, settings, notices and plans, read back. */
import {
  type Cells,
  eventOf,
  incidentOf,
  MAX_PLANS,
  MAX_ROWS,
  noticeOf,
  planOf,
  planRecordOf,
  verdictChangeOf,
} from '../../codec/record-rows.ts';
import type { QueuedNotice } from '../../notification.ts';
import type { PlanRecord } from '../../plan-log.ts';
import type { StoredIncident, StoredPlan, StoredVerdictChange, WatchedEvent } from '../../records.ts';
import type { Session } from './database.ts';
import { inPieces } from './packed-bodies.ts';
import type { TargetEvent } from '../../ports.ts';
import { storable } from '../../codec/store-limits.ts';

const PAGE_TARGETS = 500;
const OF_TARGET = 'md5(target) = md5($3) AND target = $3';

/** In time order; of too many, the newest. */
export async function readEvents(db: Session, target: string, from: number, to: number): Promise<WatchedEvent[]> {
  const rows = await db.all(
    `SELECT at, kind, text FROM events WHERE ${OF_TARGET} AND at BETWEEN $1 AND $2 ORDER BY at DESC, id DESC
     LIMIT ${MAX_ROWS}`,
    [from, to, storable(target)],
  );
  return rows.map(eventOf).reverse();
}

export async function readEventsOfKind(
  db: Session,
  kind: WatchedEvent['kind'],
  from: number,
  to: number,
  targets: readonly string[] | undefined,
): Promise<TargetEvent[]> {
  const read = async (ofTargets: string, more: readonly unknown[]): Promise<TargetEvent[]> => {
    const rows = await db.all(
      `SELECT target, at, kind, text FROM events WHERE kind = $3 AND at BETWEEN $1 AND $2 ${ofTargets}
       ORDER BY at DESC, id DESC LIMIT ${MAX_ROWS}`,
      [from, to, kind, ...more],
    );
    return rows.map(row => ({ target: String(row['target']), ...eventOf(row) })).reverse();
  };
  if (targets === undefined) return read('', []);
  const asked = new Map(targets.map(target => [storable(target), target]));
  const found: TargetEvent[] = [];
  for (const piece of inPieces([...asked.keys()], () => 1, PAGE_TARGETS)) {
    const own = await read(
      'AND md5(target) = ANY(ARRAY(SELECT md5(name) FROM unnest($4::text[]) AS name)) AND target = ANY($4)',
      [piece],
    );
    found.push(...own.map(event => ({ ...event, target: asked.get(event.target) ?? event.target })));
  }
  return found.sort((a, b) => a.at - b.at);
}

export async function readVerdictChanges(
  db: Session,
  from: number,
  to: number,
  target: string | undefined,
): Promise<StoredVerdictChange[]> {
  const rows = await db.all(
    `SELECT * FROM verdict_changes WHERE at BETWEEN $1 AND $2 ${target === undefined ? '' : `AND ${OF_TARGET}`}
     ORDER BY at DESC, id DESC LIMIT ${MAX_ROWS}`,
    target === undefined ? [from, to] : [from, to, storable(target)],
  );
  return rows.map(verdictChangeOf).reverse();
}

/** Newest first. */
export async function readIncidents(db: Session): Promise<StoredIncident[]> {
  return whole(await db.all('SELECT * FROM incidents ORDER BY opened_at DESC, id'), incidentOf);
}

export async function readIncident(db: Session, id: string): Promise<StoredIncident | undefined> {
  return whole(await db.all('SELECT * FROM incidents WHERE id = $1', [storable(id)]), incidentOf)[0];
}

export async function readMeta(db: Session, key: string): Promise<string | undefined> {
  const [row] = await db.all('SELECT value FROM meta WHERE key = $1', [storable(key)]);
  return row && String(row['value']);
}

export async function readNotices(db: Session): Promise<QueuedNotice[]> {
  return whole(await db.all('SELECT destination, body FROM outbox ORDER BY id'), noticeOf);
}

/** Newest first. */
export async function readPlans(db: Session): Promise<StoredPlan[]> {
  return whole(await db.all(`SELECT * FROM plans ORDER BY made_at DESC, id LIMIT ${MAX_PLANS}`), planOf);
}

export async function readPlanRecords(db: Session, planId: string): Promise<PlanRecord[]> {
  return whole(
    await db.all('SELECT body FROM plan_records WHERE plan = $1 ORDER BY number', [storable(planId)]),
    planRecordOf,
  );
}

/** Without those that are damaged. */
function whole<T>(rows: readonly Cells[], read: (row: Cells) => T | undefined): T[] {
  return rows.flatMap(row => read(row) ?? []);
}
