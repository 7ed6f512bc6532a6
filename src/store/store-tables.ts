import { StoreError } from './ports.ts';

/** The tables of a store of `oakum watch`, as they are copied from one database to another. */
export type Cell = number | string | Uint8Array | null;
/** In the order of the columns: those of the key come first. */
export type StoreRow = readonly Cell[];

export interface StoreTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  readonly numbers: ReadonlySet<string>;
}

/** Files that no row may name stay with whoever has the files, and are not copied. A # marks numbers. */
export const STORE_TABLES: readonly StoreTable[] = [
  table('targets', 'id#', 'name attributes first_seen# last_seen#'),
  table('metrics', 'id#', 'name'),
  table('scrapes', 'id#', 'target_group# sample_count# body'),
  table('chunks', 'target# step# slot#', 'body'),
  table('events', 'id#', 'target at# kind text'),
  table('verdict_changes', 'id#', 'target at# resource from_verdict to_verdict reason'),
  table('incidents', 'id', 'target opened_at# closed_at# version# document'),
  table('captures', 'id', 'target at# trigger_name reason process_start#'),
  table('capture_files', 'capture position#', 'kind at# sha256 bytes# truncated request'),
  table('outbox', 'id#', 'destination notice body'),
  table('plans', 'id', 'incident made_by made_at# document'),
  table('plan_records', 'plan number#', 'body'),
  table('meta', 'key', 'value'),
];

/** Tells the replicas of this store from those of others. */
export const GROUP_SETTING = 'store.replicas';

/** Settings that say something about one database, and not about what is in it. */
export const OWN_SETTINGS: readonly string[] = ['store.evidence', 'store.schema', 'store.copy', GROUP_SETTING];

export function keyOf({ keys }: StoreTable, row: StoreRow): StoreRow {
  return row.slice(0, keys.length);
}

export function cellAt({ columns }: StoreTable, row: StoreRow, column: string): Cell {
  return row[columns.indexOf(column)] ?? null;
}

function table(name: string, keyText: string, otherText: string): StoreTable {
  const marked = `${keyText} ${otherText}`.split(' ');
  const plain = (column: string): string => column.replace('#', '');
  return {
    name,
    columns: marked.map(plain),
    keys: keyText.split(' ').map(plain),
    numbers: new Set(marked.filter(column => column.endsWith('#')).map(plain)),
  };
}

/**
 * The rows of a store as they are, to copy and compare them. Every method throws a StoreError.
 *
 *     while ((rows = await from.read(table, after, 500)).length > 0) {
 *       await to.write(table, rows, marker);              // all or nothing, with where it continues after a kill
 *       after = keyOf(table, rows.at(-1));
 *     }
 *     await to.finish();
 */
export interface StoreRows {
  /** As the user named it, without a password. */
  readonly shown: string;
  /** The same for the same place, however it was named. */
  readonly id: string;
  /** The next rows by their key; settings of one database are left out. */
  read(table: StoreTable, after: StoreRow | undefined, limit: number): Promise<readonly StoreRow[]>;
  /** Adds rows and replaces the settings, or does neither. A setting of undefined goes away. */
  write(table: StoreTable | undefined, rows: readonly StoreRow[], settings: Settings): Promise<void>;
  setting(key: string): Promise<string | undefined>;
  /** Numbers that the database gives go on after those that were written. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export type Settings = Readonly<Record<string, string | undefined>>;

/** The setting of a store that is being copied to: how far it has come. */
export const COPY_KEY = 'store.copy';

/** A store with half of its rows would be taken for one that forgot the rest. */
export function refuseHalfCopy(marker: string | undefined, shown: string): void {
  if (marker === undefined) return;
  throw new StoreError(
    'refused',
    `${shown} is an unfinished copy: run the same oakum store copy again until it ends, or choose another place`,
  );
}
