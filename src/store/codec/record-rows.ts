/**
 * Events, verdict changes, incidents, settings, notices and plans as rows of tables, and back. Both databases have the
 * same tables with the same columns.
 */
import { parseJson } from '../../base/json.ts';
import type { Notice, QueuedNotice } from '../notification.ts';
import type { PlanRecord } from '../plan-log.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { StoredIncident, StoredPlan, StoredVerdictChange, WatchedEvent } from '../records.ts';
import type { Verdict } from '../../judge/verdict.ts';

/** Events come from outside and may be of any length. */
const MAX_TEXT_LENGTH = 4_000;
/** The most that one reading returns. */
export const MAX_ROWS = 50_000;
export const MAX_PLANS = 1_000;

export type CellValue = string | number | null;
/** As a database returns it. */
export type Cells = Readonly<Record<string, unknown>>;

interface RecordTable {
  readonly columns: Readonly<Record<string, 'text' | 'number'>>;
  readonly key: readonly string[];
  /** What becomes of a row whose key is there already; 'update' keeps its place. */
  readonly onRepeat: 'add' | 'replace' | 'update' | 'keep';
}

export type RecordTableName = 'events' | 'verdict_changes' | 'incidents' | 'meta' | 'outbox' | 'plans' | 'plan_records';

export const RECORD_TABLES: Readonly<Record<RecordTableName, RecordTable>> = {
  events: {
    columns: { target: 'text', at: 'number', kind: 'text', text: 'text' },
    key: [],
    onRepeat: 'add',
  },
  verdict_changes: {
    columns: {
      target: 'text',
      at: 'number',
      resource: 'text',
      from_verdict: 'text',
      to_verdict: 'text',
      reason: 'text',
    },
    key: [],
    onRepeat: 'add',
  },
  incidents: {
    columns: {
      id: 'text',
      target: 'text',
      opened_at: 'number',
      closed_at: 'number',
      version: 'number',
      document: 'text',
    },
    key: ['id'],
    onRepeat: 'replace',
  },
  meta: { columns: { key: 'text', value: 'text' }, key: ['key'], onRepeat: 'replace' },
  outbox: {
    columns: { destination: 'text', notice: 'text', body: 'text' },
    key: ['destination', 'notice'],
    onRepeat: 'update',
  },
  plans: {
    columns: { id: 'text', incident: 'text', made_by: 'text', made_at: 'number', document: 'text' },
    key: ['id'],
    onRepeat: 'keep',
  },
  plan_records: {
    columns: { plan: 'text', number: 'number', body: 'text' },
    key: ['plan', 'number'],
    onRepeat: 'keep',
  },
};

/** A row to add, or the key of one to delete. */
export interface RecordRow {
  readonly table: RecordTableName;
  readonly values: readonly CellValue[];
  readonly isDropped?: boolean;
}

export function eventRow(target: string, { at, kind, text }: WatchedEvent): RecordRow {
  return { table: 'events', values: [target, at, kind, text.slice(0, MAX_TEXT_LENGTH)] };
}

export function verdictChangeRow({ target, at, resource, from, to, reason }: StoredVerdictChange): RecordRow {
  return { table: 'verdict_changes', values: [target, at, resource, from, to, reason.slice(0, MAX_TEXT_LENGTH)] };
}

export function incidentRow({ id, target, openedAt, closedAt, version, document }: StoredIncident): RecordRow {
  return { table: 'incidents', values: [id, target, openedAt, closedAt, version, JSON.stringify(document)] };
}

export function settingRow(key: string, value: string): RecordRow {
  return { table: 'meta', values: [key, value] };
}

export function noticeRow({ destination, notice }: QueuedNotice): RecordRow {
  return { table: 'outbox', values: [destination, notice.id, JSON.stringify(notice)] };
}

export function droppedNotice(destination: string, noticeId: string): RecordRow {
  return { table: 'outbox', values: [destination, noticeId], isDropped: true };
}

export function planRow({ id, incidentId, madeBy, madeAt, document }: StoredPlan): RecordRow {
  return { table: 'plans', values: [id, incidentId, madeBy, madeAt, JSON.stringify(document)] };
}

export function planRecordRow(record: PlanRecord): RecordRow {
  return { table: 'plan_records', values: [record.planId, record.number, JSON.stringify(record)] };
}

/** What it takes up in memory beside its text. */
const ROW_BYTES = 200;

export function bytesOf({ values }: RecordRow): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), ROW_BYTES);
}

export function eventOf(row: Cells): WatchedEvent {
  return { at: Number(row['at']), kind: row['kind'] as WatchedEvent['kind'], text: String(row['text']) };
}

export function verdictChangeOf(row: Cells): StoredVerdictChange {
  return {
    at: Number(row['at']),
    target: String(row['target']),
    resource: row['resource'] as Resource,
    from: row['from_verdict'] as Verdict,
    to: row['to_verdict'] as Verdict,
    reason: String(row['reason']),
  };
}

/** Undefined if its document is damaged; so are the next ones. */
export function incidentOf(row: Cells): StoredIncident | undefined {
  const document = objectIn(row['document']);
  if (document === undefined) return undefined;
  return {
    id: String(row['id']),
    target: String(row['target']),
    openedAt: Number(row['opened_at']),
    closedAt: row['closed_at'] === null ? null : Number(row['closed_at']),
    version: Number(row['version']),
    document,
  };
}

export function noticeOf(row: Cells): QueuedNotice | undefined {
  const notice = objectIn(row['body']);
  return notice && { destination: String(row['destination']), notice: notice as Notice };
}

export function planOf(row: Cells): StoredPlan | undefined {
  const document = objectIn(row['document']);
  if (document === undefined) return undefined;
  return {
    id: String(row['id']),
    incidentId: String(row['incident']),
    madeBy: String(row['made_by']),
    madeAt: Number(row['made_at']),
    document,
  };
}

export function planRecordOf(row: Cells): PlanRecord | undefined {
  return objectIn(row['body']) as PlanRecord | undefined;
}

function objectIn(text: unknown): object | undefined {
  const value = parseJson(String(text));
  return typeof value === 'object' && value !== null ? value : undefined;
}
