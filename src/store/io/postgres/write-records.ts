/** Records of a commit, as few statements: all rows of a table at once, each column as an array. */
import {
  bytesOf,
  type CellValue,
  RECORD_TABLES,
  type RecordRow,
  type RecordTableName,
} from '../../codec/record-rows.ts';
import type { Session } from './database.ts';
import { isOurFault } from './database-trouble.ts';
import { inPieces } from './packed-bodies.ts';
import { storable } from '../../codec/store-limits.ts';

/**
 * Within a transaction. A row that the database can never take is left out, with a call of `onRefused`: it must not keep
 * all others from being written.
 */
export async function writeRecords(
  session: Session,
  records: readonly RecordRow[],
  onRefused: (error: unknown) => void,
): Promise<void> {
  for (const run of runsOf(records).flatMap(whole => [...inPieces(whole, bytesOf)])) {
    try {
      await atomically(session, () => writeRun(session, run));
    } catch (error) {
      if (!isOurFault(error)) throw error;
      for (const row of run) {
        try {
          await atomically(session, () => writeRun(session, [row]));
        } catch (refusal) {
          if (!isOurFault(refusal)) throw refusal;
          onRefused(refusal);
        }
      }
    }
  }
}

async function atomically(session: Session, work: () => Promise<void>): Promise<void> {
  await session.all('SAVEPOINT records');
  try {
    await work();
  } catch (error) {
    if (isOurFault(error)) await session.all('ROLLBACK TO SAVEPOINT records');
    throw error;
  }
  await session.all('RELEASE SAVEPOINT records');
}

/** Rows of one table that are all added or all dropped. Their order counts only within a table. */
function runsOf(records: readonly RecordRow[]): RecordRow[][] {
  const byTable = new Map<RecordTableName, RecordRow[][]>();
  for (const record of records) {
    let runs = byTable.get(record.table);
    if (runs === undefined) byTable.set(record.table, (runs = []));
    const last = runs.at(-1);
    if (last !== undefined && last[0]?.isDropped === record.isDropped) last.push(record);
    else runs.push([record]);
  }
  return [...byTable.values()].flat();
}

async function writeRun(session: Session, run: readonly RecordRow[]): Promise<void> {
  const [first] = run;
  if (first === undefined) return;
  const { columns, key, onRepeat } = RECORD_TABLES[first.table];
  const names = first.isDropped === true ? [...key] : Object.keys(columns);
  const arrays = names.map((name, i) => `$${i + 1}::${columns[name] === 'text' ? 'text' : 'double precision'}[]`);
  const given = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${[...names, 'nth'].join(', ')})`;
  const rows = distinct(
    run,
    key.map(name => names.indexOf(name)),
    onRepeat === 'keep',
  );
  const values = names.map((_, column) => rows.map(row => cell(row[column] ?? null)));
  await session.all(
    first.isDropped === true
      ? `DELETE FROM ${first.table} USING ${given} WHERE ${key.map(name => `${first.table}.${name} = given.${name}`).join(' AND ')}`
      : `INSERT INTO ${first.table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${given} ORDER BY nth ${repeats(names, key, onRepeat)}`,
    values,
  );
}

function repeats(names: readonly string[], key: readonly string[], onRepeat: string): string {
  if (onRepeat === 'add') return '';
  if (onRepeat === 'keep') return 'ON CONFLICT DO NOTHING';
  const changed = names.filter(name => !key.includes(name)).map(name => `${name} = excluded.${name}`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changed.join(', ')}`;
}

/** One statement cannot touch a row twice: of equal keys, the last counts, or the first. */
function distinct(
  run: readonly RecordRow[],
  keyColumns: readonly number[],
  keepsFirst: boolean,
): readonly (readonly CellValue[])[] {
  if (keyColumns.length === 0) return run.map(({ values }) => values);
  const byKey = new Map<string, readonly CellValue[]>();
  for (const { values } of run) {
    const key = JSON.stringify(keyColumns.map(column => values[column]));
    if (!keepsFirst || !byKey.has(key)) byKey.set(key, values);
  }
  return [...byKey.values()];
}

function cell(value: CellValue): CellValue {
  return typeof value === 'string' ? storable(value) : value;
}
