/** Plans and their records: rows for the next commit, and rows read back. */
import { parseJson } from '../../base/json.ts';
import type { PlanRecord } from '../../model/plan-log.ts';
import type { StoredPlan } from '../../model/stored-records.ts';
import type { Database } from './database.ts';
import type { Insertion } from './record-tables.ts';

const MAX_PLANS = 1000;

/** What is there already stays as it is. */
export function planRow({ id, incidentId, madeBy, madeAt, document }: StoredPlan): Insertion {
  return {
    sql: 'INSERT OR IGNORE INTO plans (id, incident, made_by, made_at, document) VALUES (?, ?, ?, ?, ?)',
    values: [id, incidentId, madeBy, madeAt, JSON.stringify(document)],
  };
}

export function planRecordRow(record: PlanRecord): Insertion {
  return {
    sql: 'INSERT OR IGNORE INTO plan_records (plan, number, body) VALUES (?, ?, ?)',
    values: [record.planId, record.number, JSON.stringify(record)],
  };
}

/** Newest first; without damaged ones. */
export function readPlans(db: Database): StoredPlan[] {
  return db.all(`SELECT * FROM plans ORDER BY made_at DESC, id LIMIT ${MAX_PLANS}`).flatMap(row => {
    const document = parseJson(String(row.document));
    if (typeof document !== 'object' || document === null) return [];
    const [id, incidentId, madeBy] = [String(row.id), String(row.incident), String(row.made_by)];
    return [{ id, incidentId, madeBy, madeAt: Number(row.made_at), document }];
  });
}

export function readPlanRecords(db: Database, planId: string): PlanRecord[] {
  return db.all('SELECT body FROM plan_records WHERE plan = ? ORDER BY number', [planId]).flatMap(row => {
    const record = parseJson(String(row.body));
    return typeof record === 'object' && record !== null ? [record as PlanRecord] : [];
  });
}
