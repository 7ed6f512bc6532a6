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
