/** SQL that both databases share, made from the description of the tables. */
import { assert } from '../../base/errors.ts';
import { OWN_SETTINGS } from '../ports.ts';
import type { RecordQuery } from '../records.ts';
import { RECORD_TABLES, type RecordTable, type StoreRow, type StoreTable } from '../tables.ts';
import { storable } from './store-limits.ts';

export interface Dialect {
  /** The nth parameter, from 1. */
  parameter(n: number): string;
  text(value: string): string;
  /** Rows of a target, or of any target in a list, by an index. */
  ofTarget(parameter: string, isList: boolean): string;
  /** Text in the order of its bytes. */
  byBytes(column: string): string;
}

export const SQLITE: Dialect = {
  parameter: () => '?',
  text: value => value,
  ofTarget: parameter => `target = ${parameter}`,
  byBytes: column => column,
};

export const POSTGRES: Dialect = {
  parameter: n => `$${n}`,
  text: storable,
  ofTarget: (parameter, isList) =>
    isList
      ? `md5(target) = ANY(ARRAY(SELECT md5(name) FROM unnest(${parameter}::text[]) AS name)) AND target = ANY(${parameter})`
      : `md5(target) = md5(${parameter}) AND target = ${parameter}`,
  byBytes: column => `${column} COLLATE "C"`,
};

export interface Statement<V> {
  readonly sql: string;
  readonly values: readonly V[];
}

/** The rows that a query is about. */
export function selectRecords<V = string | number | readonly string[]>(
  dialect: Dialect,
  { kind, id, target, since, until, event }: RecordQuery,
): Statement<V> {
  const { table, id: idColumn, order, limit } = RECORD_TABLES[kind];
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (column: string, value: unknown, condition: (parameter: string) => string): void => {
    if (value === undefined) return;
    assert(table.columns.includes(column), `${table.name} has no ${column}`);
    values.push(typeof value === 'string' ? dialect.text(value) : value);
    conditions.push(condition(dialect.parameter(values.length)));
  };
  where(idColumn, id, parameter => `${idColumn} = ${parameter}`);
  where('target', target, parameter => dialect.ofTarget(parameter, typeof target !== 'string'));
  where('at', since, parameter => `at >= ${parameter}`);
  where('at', until, parameter => `at <= ${parameter}`);
  where('kind', event, parameter => `kind = ${parameter}`);
  const by = order.map(column => (column.startsWith('-') ? `${column.slice(1)} DESC` : column)).join(', ');
  const most = limit === Infinity ? '' : `LIMIT ${limit}`;
  return { sql: `SELECT * FROM ${table.name} ${whereAll(conditions)} ORDER BY ${by} ${most}`, values: values as V[] };
}

/** The next rows to copy. */
export function selectPage<V = StoreRow[number]>(
  dialect: Dialect,
  { name, columns, keys, numbers }: StoreTable,
  after: StoreRow | undefined,
  limit: number,
): Statement<V> {
  const by = keys.map(key => (numbers.has(key) ? key : dialect.byBytes(key))).join(', ');
  const own = OWN_SETTINGS.map(key => `'${key}'`).join(', ');
  const conditions = [
    ...(name === 'meta' ? [`key NOT IN (${own})`] : []),
    // A target without them has a number, and nothing of it is committed.
    ...(name === 'targets' ? ['attributes IS NOT NULL'] : []),
    ...(after === undefined ? [] : [`(${by}) > (${after.map((_, i) => dialect.parameter(i + 1)).join(', ')})`]),
  ];
  return {
    sql: `SELECT ${columns.join(', ')} FROM ${name} ${whereAll(conditions)} ORDER BY ${by} LIMIT ${limit}`,
    values: (after ?? []) as V[],
  };
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

/** The end of an INSERT. A row that is replaced keeps its place. */
export function onRepeat({ columns, key, onRepeat: does }: RecordTable): string {
  if (key.length === 0) return '';
  if (does === 'keep') return 'ON CONFLICT DO NOTHING';
  const changed = columns.filter(name => !key.includes(name)).map(name => `${name} = excluded.${name}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changed.join(', ')}`;
}

export function valuesOf(columns: readonly string[], dialect: Dialect): string {
  return `(${columns.join(', ')}) VALUES (${columns.map((_, i) => dialect.parameter(i + 1)).join(', ')})`;
}
