/** Records as rows of their tables: written within a commit, and read back. */
import { onRepeat, selectRecords, SQLITE, valuesOf } from '../../codec/statements.ts';
import type { RecordKind, RecordKinds, RecordQuery } from '../../records.ts';
import { inOrder, RECORD_TABLES, type RecordRow, recordsOf, type ReadCells } from '../../tables.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';

/** Within a transaction. */
export function saveRecord(db: Database, { of, cells, isDropped }: RecordRow): void {
  const { table, columns, key } = of;
  const given = isDropped ? key : columns;
  db.run(
    isDropped
      ? `DELETE FROM ${table.name} WHERE ${key.map(name => `${name} = ?`).join(' AND ')}`
      : `INSERT INTO ${table.name} ${valuesOf(columns, SQLITE)} ${onRepeat(of)}`,
    given.map(name => cells[name] ?? null),
  );
}

export function readRecords<K extends RecordKind>(db: Database, query: RecordQuery<K>): RecordKinds[K][] {
  const rows = readRows(db, query);
  return recordsOf(query.kind, query.kind === 'capture' ? rows.map(row => withFiles(db, row)) : rows);
}

function readRows(db: Database, query: RecordQuery): readonly SqlRow[] {
  const { kind, target } = query;
  if (target !== undefined && typeof target !== 'string')
    return [...new Set(target)]
      .flatMap(one => readRows(db, { ...query, target: one }))
      .sort(inOrder(RECORD_TABLES[kind]));
  const { sql, values } = selectRecords<SqlValue>(SQLITE, query);
  return db.all(sql, values);
}

function withFiles(db: Database, row: SqlRow): ReadCells {
  const files = db.all('SELECT * FROM capture_files WHERE capture = ? ORDER BY position', [row.id ?? null]);
  return { ...row, files };
}

export function readSetting(db: Database, key: string): string | undefined {
  return readRecords(db, { kind: 'setting', id: key })[0]?.value;
}
