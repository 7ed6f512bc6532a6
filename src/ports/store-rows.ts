/**
 * All rows of a store, table by table, to copy one into another. Equal content has equal rows in every database:
 *
 *     rows('targets', undefined, 1000)             the first thousand, in the order of their keys
 *     rows('targets', last key, 1000)              the next; a copy that was interrupted goes on from there
 *     put('targets', rows)                         durable when it resolves; what is there under a key is replaced
 *
 * Numbers of targets and metrics are kept: samples refer to them. What only one database needs (its version, its clock,
 * the place of its evidence) is no content.
 */
export type StoreCell = string | number | Uint8Array | null;
export type StoreRow = readonly StoreCell[];
/** The first cells of a row. */
export type StoreKey = readonly (string | number)[];

export interface StoreTableShape {
  readonly columns: Readonly<Record<string, 'text' | 'number' | 'bytes'>>;
  /** How many of the columns, from the first, are its key. */
  readonly keyLength: number;
}

export type StoreTable =
  | 'targets'
  | 'metrics'
  | 'chunks'
  | 'scrapes'
  | 'events'
  | 'verdict_changes'
  | 'incidents'
  | 'plans'
  | 'plan_records'
  | 'outbox'
  | 'meta'
  | 'captures'
  | 'capture_files';

/** In the order in which they are to be copied. */
const STORE_TABLES: Readonly<Record<StoreTable, StoreTableShape>> = {
  targets: {
    columns: { id: 'number', name: 'text', attributes: 'text', first_seen: 'number', last_seen: 'number' },
    keyLength: 1,
  },
  metrics: { columns: { id: 'number', name: 'text' }, keyLength: 1 },
  chunks: { columns: { target: 'number', step: 'number', slot: 'number', body: 'bytes' }, keyLength: 3 },
  scrapes: {
    columns: { id: 'number', target_group: 'number', sample_count: 'number', body: 'bytes' },
    keyLength: 1,
  },
  events: { columns: { id: 'number', target: 'text', at: 'number', kind: 'text', text: 'text' }, keyLength: 1 },
  verdict_changes: {
    columns: {
      id: 'number',
      target: 'text',
      at: 'number',
      resource: 'text',
      from_verdict: 'text',
      to_verdict: 'text',
      reason: 'text',
    },
    keyLength: 1,
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
    keyLength: 1,
  },
  plans: {
    columns: { id: 'text', incident: 'text', made_by: 'text', made_at: 'number', document: 'text' },
    keyLength: 1,
  },
  plan_records: { columns: { plan: 'text', number: 'number', body: 'text' }, keyLength: 2 },
  outbox: { columns: { id: 'number', destination: 'text', notice: 'text', body: 'text' }, keyLength: 1 },
  meta: { columns: { key: 'text', value: 'text' }, keyLength: 1 },
  captures: {
    columns: {
      id: 'text',
      target: 'text',
      at: 'number',
      trigger_name: 'text',
      reason: 'text',
      process_start: 'number',
    },
    keyLength: 1,
  },
  capture_files: {
    columns: {
      capture: 'text',
      position: 'number',
      kind: 'text',
      at: 'number',
      sha256: 'text',
      bytes: 'number',
      truncated: 'text',
      request: 'text',
    },
    keyLength: 2,
  },
};

export const TABLE_NAMES: readonly StoreTable[] = Object.keys(STORE_TABLES) as StoreTable[];

/** Settings of the store itself, which are no content. */
export const OWN_SETTINGS = 'store.';

export interface StoreRows {
  /** Without a password. */
  readonly shown: string;
  rows(table: StoreTable, after: StoreKey | undefined, limit: number): Promise<readonly StoreRow[]>;
  put(table: StoreTable, rows: readonly StoreRow[]): Promise<void>;
  count(table: StoreTable): Promise<number>;
  close(): Promise<void>;
}

export function shapeOf(table: StoreTable): StoreTableShape {
  return STORE_TABLES[table];
}

export function keyOfRow(table: StoreTable, row: StoreRow): StoreKey {
  return row.slice(0, shapeOf(table).keyLength) as (string | number)[];
}

/** All rows of a table as text, for a digest: the same for equal content, whatever the database. */
export async function* tableText(store: StoreRows, table: StoreTable, pageRows: number = 1000): AsyncIterable<string> {
  let after: StoreKey | undefined;
  for (;;) {
    const page = await store.rows(table, after, pageRows);
    const last = page.at(-1);
    if (last === undefined) return;
    for (const row of page) yield `${JSON.stringify(row.map(plain))}\n`;
    after = keyOfRow(table, last);
  }
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function plain(cell: StoreCell): string | number | null {
  return cell instanceof Uint8Array ? `\\x${Array.from(cell, byte => HEX[byte]).join('')}` : cell;
}
