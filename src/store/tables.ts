/**
 * The tables of a store, described once: both databases, the copy from one to the other and the store in memory take
 * their columns, keys and orders from here. `codec/schema-steps.ts` creates them.
 *
 *     record   { incidentId: 'i-1', madeAt: 60, document: { ... }, ... }     as callers put and read it
 *     cells    { incident: 'i-1', made_at: 60, document: '{...}', ... }      by column
 *     row      ['p-1', 'i-1', 'kim', 60, '{...}']                            in the order of the columns, to copy it
 */
import { parseJson } from '../base/json.ts';
import type { CaptureKind } from '../evidence/capture.ts';
import type { Resource } from '../evidence/resource.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Notice } from './notification.ts';
import type { PlanRecord } from './plan-log.ts';
import type { NewRecord, RecordKind, RecordKinds, StoredProfile, WatchedEvent } from './records.ts';

export type Cell = number | string | Uint8Array | null;
export type StoreRow = readonly Cell[];
export type Cells = Readonly<Record<string, Cell>>;
/** As a database returns them. */
export type ReadCells = Readonly<Record<string, unknown>>;

export interface StoreTable {
  readonly name: string;
  /** Those of the key come first. */
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  readonly numbers: ReadonlySet<string>;
  /** The column whose text is JSON. */
  readonly document: string | undefined;
  /** Whether the key is a number that the database can give. */
  readonly isNumbered: boolean;
}

/** A # marks numbers, {} marks JSON. Files that no row may name stay with whoever has the files, and have no entry. */
const TABLES = {
  targets: table('targets', 'id#', 'name attributes{} first_seen# last_seen#'),
  metrics: table('metrics', 'id#', 'name'),
  scrapes: table('scrapes', 'id#', 'target_group# sample_count# body'),
  chunks: table('chunks', 'target# step# slot#', 'body'),
  events: table('events', 'id#', 'target at# kind text'),
  verdictChanges: table('verdict_changes', 'id#', 'target at# resource from_verdict to_verdict reason'),
  incidents: table('incidents', 'id', 'target opened_at# closed_at# version# document{}'),
  captures: table('captures', 'id', 'target at# trigger_name reason process_start#'),
  captureFiles: table('capture_files', 'capture position#', 'kind at# sha256 bytes# truncated request'),
  outbox: table('outbox', 'id#', 'destination notice body{}'),
  plans: table('plans', 'id', 'incident made_by made_at# document{}'),
  planRecords: table('plan_records', 'plan number#', 'body{}'),
  meta: table('meta', 'key', 'value'),
} as const;

/** In the order in which they are copied. */
export const STORE_TABLES: readonly StoreTable[] = Object.values(TABLES);
export const CAPTURE_FILES: StoreTable = TABLES.captureFiles;

function table(name: string, keyText: string, otherText: string): StoreTable {
  const marked = `${keyText} ${otherText}`.split(' ');
  const plain = (column: string): string => column.replace(/#|\{\}/, '');
  return {
    name,
    columns: marked.map(plain),
    keys: keyText.split(' ').map(plain),
    numbers: new Set(marked.filter(column => column.endsWith('#')).map(plain)),
    document: marked.filter(column => column.endsWith('{}')).map(plain)[0],
    isNumbered: keyText === 'id#',
  };
}

export function keyOf({ keys }: StoreTable, row: StoreRow): StoreRow {
  return row.slice(0, keys.length);
}

export function cellAt({ columns }: StoreTable, row: StoreRow, column: string): Cell {
  return row[columns.indexOf(column)] ?? null;
}

/** How records of a kind are kept in their table. */
export interface RecordTable<T = never> {
  readonly table: StoreTable;
  /** Without the number that the database gives. */
  readonly columns: readonly string[];
  /** Records with the same of these are one; of none, each is another. */
  readonly key: readonly string[];
  /** What becomes of a record that is there already. */
  readonly onRepeat: 'update' | 'keep';
  /** The column that the `id` of a query means. */
  readonly id: string;
  /** A minus: descending. */
  readonly order: readonly string[];
  /** The first so many in that order; readers get them the other way round if it is the order of newest first. */
  readonly limit: number;
  readonly isReversed: boolean;
  cells(record: T): Cells;
  /** Undefined if its document is damaged. */
  record(cells: ReadCells): unknown;
}

/** Events come from outside and may be of any length. */
const MAX_TEXT_LENGTH = 4_000;
/** The most that one reading returns. */
const MAX_ROWS = 50_000;
const MAX_PLANS = 1_000;

const NEWEST = { order: ['-at', '-id'], limit: MAX_ROWS, isReversed: true };

export const RECORD_TABLES: { readonly [K in RecordKind]: RecordTable<RecordKinds[K]> } = {
  event: recordTable<'event'>(TABLES.events, {
    ...NEWEST,
    cells: ({ target, at, kind, text }) => ({ target, at, kind, text: text.slice(0, MAX_TEXT_LENGTH) }),
    record: row => ({ ...targetAndTime(row), kind: row['kind'] as WatchedEvent['kind'], text: String(row['text']) }),
  }),
  'verdict-change': recordTable<'verdict-change'>(TABLES.verdictChanges, {
    ...NEWEST,
    cells: ({ target, at, resource, from, to, reason }) => ({
      ...{ target, at, resource, from_verdict: from, to_verdict: to },
      reason: reason.slice(0, MAX_TEXT_LENGTH),
    }),
    record: row => ({
      ...targetAndTime(row),
      resource: row['resource'] as Resource,
      from: row['from_verdict'] as Verdict,
      to: row['to_verdict'] as Verdict,
      reason: String(row['reason']),
    }),
  }),
  incident: recordTable<'incident'>(TABLES.incidents, {
    key: ['id'],
    order: ['-opened_at', 'id'],
    cells: ({ id, target, openedAt, closedAt, version, document }) => ({
      ...{ id, target, opened_at: openedAt, closed_at: closedAt, version },
      document: JSON.stringify(document),
    }),
    record: row =>
      withDocument(row['document'], document => ({
        id: String(row['id']),
        target: String(row['target']),
        openedAt: Number(row['opened_at']),
        closedAt: row['closed_at'] === null ? null : Number(row['closed_at']),
        version: Number(row['version']),
        document,
      })),
  }),
  /** Its files have a table of their own: `record` expects their cells as `files`, in order. */
  capture: recordTable<'capture'>(TABLES.captures, {
    key: ['id'],
    order: ['-at', 'id'],
    cells: ({ id, target, at, trigger, reason, processStartSeconds }) => ({
      ...{ id, target, at, trigger_name: trigger, reason },
      process_start: processStartSeconds ?? null,
    }),
    record: row => ({
      id: String(row['id']),
      ...targetAndTime(row),
      trigger: String(row['trigger_name']),
      reason: String(row['reason']),
      processStartSeconds: row['process_start'] === null ? undefined : Number(row['process_start']),
      files: (row['files'] as readonly ReadCells[]).map(profileOf),
    }),
  }),
  setting: recordTable<'setting'>(TABLES.meta, {
    key: ['key'],
    id: 'key',
    order: ['key'],
    cells: ({ key, value }) => ({ key, value }),
    record: row => ({ key: String(row['key']), value: String(row['value']) }),
  }),
  notice: recordTable<'notice'>(TABLES.outbox, {
    key: ['destination', 'notice'],
    order: ['id'],
    cells: ({ destination, notice }) => ({ destination, notice: notice.id, body: JSON.stringify(notice) }),
    record: row =>
      withDocument(row['body'], notice => ({ destination: String(row['destination']), notice: notice as Notice })),
  }),
  plan: recordTable<'plan'>(TABLES.plans, {
    key: ['id'],
    onRepeat: 'keep',
    order: ['-made_at', 'id'],
    limit: MAX_PLANS,
    cells: ({ id, incidentId, madeBy, madeAt, document }) => ({
      ...{ id, incident: incidentId, made_by: madeBy, made_at: madeAt },
      document: JSON.stringify(document),
    }),
    record: row =>
      withDocument(row['document'], document => ({
        id: String(row['id']),
        incidentId: String(row['incident']),
        madeBy: String(row['made_by']),
        madeAt: Number(row['made_at']),
        document,
      })),
  }),
  'plan-log': recordTable<'plan-log'>(TABLES.planRecords, {
    key: ['plan', 'number'],
    onRepeat: 'keep',
    id: 'plan',
    order: ['plan', 'number'],
    cells: record => ({ plan: record.planId, number: record.number, body: JSON.stringify(record) }),
    record: row => withDocument(row['body'], body => body as PlanRecord),
  }),
};

function recordTable<K extends RecordKind>(
  table: StoreTable,
  own: Pick<RecordTable, 'order'> &
    Partial<Pick<RecordTable, 'key' | 'onRepeat' | 'id' | 'limit' | 'isReversed'>> & {
      cells(record: RecordKinds[K]): Cells;
      record(cells: ReadCells): RecordKinds[K] | undefined;
    },
): RecordTable<RecordKinds[K]> {
  const columns = table.isNumbered ? table.columns.slice(1) : table.columns;
  return { table, columns, key: [], onRepeat: 'update', id: 'id', limit: Infinity, isReversed: false, ...own };
}

function targetAndTime(row: ReadCells): { readonly target: string; readonly at: number } {
  return { target: String(row['target']), at: Number(row['at']) };
}

function withDocument<T>(text: unknown, make: (document: object) => T): T | undefined {
  const value = parseJson(String(text));
  return typeof value === 'object' && value !== null ? make(value) : undefined;
}

export function profileCells(capture: string, position: number, file: StoredProfile): Cells {
  const { kind, at, sha256, bytes, truncated, request } = file;
  return { capture, position, kind, at, sha256, bytes, truncated, request: request ?? null };
}

function profileOf(row: ReadCells): StoredProfile {
  return {
    kind: row['kind'] as CaptureKind,
    at: Number(row['at']),
    truncated: row['truncated'] === null ? null : String(row['truncated']),
    ...(row['request'] === null ? {} : { request: String(row['request']) }),
    sha256: String(row['sha256']),
    bytes: Number(row['bytes']),
  };
}

/** The order of a table, for rows of several readings. */
export function inOrder({ table, order }: RecordTable): (a: ReadCells, b: ReadCells) => number {
  const compare = (a: unknown, b: unknown, isNumber: boolean): number => {
    if (isNumber) return Number(a) - Number(b);
    return String(a) < String(b) ? -1 : Number(String(a) > String(b));
  };
  return (a, b) => {
    for (const column of order) {
      const name = column.replace('-', '');
      const sign = compare(a[name], b[name], table.numbers.has(name));
      if (sign !== 0) return name === column ? sign : -sign;
    }
    return 0;
  };
}

/** What rows of a reading are, without those that are damaged. */
export function recordsOf<K extends RecordKind>(kind: K, rows: readonly ReadCells[]): RecordKinds[K][] {
  const { record, isReversed } = RECORD_TABLES[kind];
  const found = rows.flatMap(row => (record(row) as RecordKinds[K] | undefined) ?? []);
  return isReversed ? found.reverse() : found;
}

/** A row to add, or the key of one to delete. */
export interface RecordRow {
  readonly of: RecordTable;
  readonly cells: Cells;
  readonly isDropped: boolean;
}

export function rowOf(given: NewRecord): RecordRow {
  if (given.kind === 'dropped-notice') {
    const { destination, noticeId } = given.record;
    return { of: RECORD_TABLES.notice, cells: { destination, notice: noticeId }, isDropped: true };
  }
  const of: RecordTable = RECORD_TABLES[given.kind];
  return { of, cells: of.cells(given.record as never), isDropped: false };
}

export function settingRow(key: string, value: string): RecordRow {
  return rowOf({ kind: 'setting', record: { key, value } });
}

/** What a row takes up in memory beside its text. */
export const ROW_BYTES = 200;

export function bytesOf({ cells }: RecordRow): number {
  return Object.values(cells).reduce<number>(
    (sum, cell) => sum + (typeof cell === 'string' ? cell.length : 0),
    ROW_BYTES,
  );
}
