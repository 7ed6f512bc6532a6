/** Records as rows of their tables: read back, and written as few statements, each column as an array. */
import { groupBy } from '../../../base/group-by.ts';
import { onRepeat, POSTGRES, selectRecords } from '../../codec/statements.ts';
import { storable } from '../../codec/store-limits.ts';
import type { RecordKind, RecordKinds, RecordQuery } from '../../records.ts';
import { bytesOf, type Cells, inOrder, RECORD_TABLES, type RecordRow, recordsOf, settingRow } from '../../tables.ts';
import type { Session, SqlRow } from './database.ts';
import { isOurFault } from './database-trouble.ts';

const PAGE_TARGETS = 500;

export async function readRecords<K extends RecordKind>(db: Session, query: RecordQuery<K>): Promise<RecordKinds[K][]> {
  const rows = await readRows(db, query);
  return recordsOf(query.kind, query.kind === 'capture' ? await withFiles(db, rows) : rows);
}

async function readRows(db: Session, query: RecordQuery): Promise<readonly SqlRow[]> {
  const { kind, target } = query;
  if (target === undefined || typeof target === 'string') {
    const { sql, values } = selectRecords(POSTGRES, query);
    return db.all(sql, values);
  }
  /** Each has the name that it was asked for by. */
  const asked = new Map(target.map(one => [storable(one), one]));
  const found: SqlRow[] = [];
  for (const piece of inPieces([...asked.keys()], () => 1, PAGE_TARGETS)) {
    const { sql, values } = selectRecords(POSTGRES, { ...query, target: piece });
    for (const row of await db.all(sql, values)) found.push({ ...row, target: asked.get(String(row['target'])) });
  }
  return found.sort(inOrder(RECORD_TABLES[kind]));
}

async function withFiles(db: Session, captures: readonly SqlRow[]): Promise<readonly SqlRow[]> {
  if (captures.length === 0) return [];
  const files = await db.all('SELECT * FROM capture_files WHERE capture = ANY($1) ORDER BY capture, position', [
    captures.map(row => row['id']),
  ]);
  const byCapture = groupBy(files, row => row['capture']);
  return captures.map(row => ({ ...row, files: byCapture.get(row['id']) ?? [] }));
}

export async function readSetting(db: Session, key: string): Promise<string | undefined> {
  return (await readRecords(db, { kind: 'setting', id: key }))[0]?.value;
}

export async function saveSetting(db: Session, key: string, value: string): Promise<void> {
  await writeRun(db, [settingRow(key, value)]);
}

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
  const runs: RecordRow[][] = [];
  for (const own of groupBy(records, ({ of }) => of).values())
    for (const record of own) {
      const last = runs.at(-1);
      if (last?.[0]?.of === record.of && last[0].isDropped === record.isDropped) last.push(record);
      else runs.push([record]);
    }
  return runs;
}

async function writeRun(session: Session, run: readonly RecordRow[]): Promise<void> {
  const [first] = run;
  if (first === undefined) return;
  const { table, columns, key } = first.of;
  const names = first.isDropped ? key : columns;
  const arrays = names.map((name, i) => `$${i + 1}::${table.numbers.has(name) ? 'double precision' : 'text'}[]`);
  const given = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS given (${names.join(', ')}, nth)`;
  const rows = distinct(run);
  await session.all(
    first.isDropped
      ? `DELETE FROM ${table.name} USING ${given} WHERE ${key.map(name => `${table.name}.${name} = given.${name}`).join(' AND ')}`
      : `INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${names.join(', ')} FROM ${given} ORDER BY nth ${onRepeat(first.of)}`,
    names.map(name => rows.map(cells => storableCell(cells[name] ?? null))),
  );
}

/** One statement cannot touch a row twice: of equal keys, the last counts, or the first. */
function distinct(run: readonly RecordRow[]): readonly Cells[] {
  const byKey = new Map<unknown, Cells>();
  for (const { of, cells } of run) {
    const key = of.key.length === 0 ? cells : JSON.stringify(of.key.map(name => cells[name]));
    if (of.onRepeat === 'update' || !byKey.has(key)) byKey.set(key, cells);
  }
  return [...byKey.values()];
}

/** As text of PostgreSQL can have it. */
export function storableCell<T>(cell: T): T | string {
  return typeof cell === 'string' ? storable(cell) : cell;
}

/** Many rows in few statements. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Pieces of rows that have about this size together: the bytes of their bodies, or how many they are. */
export function* inPieces<T>(
  rows: readonly T[],
  sizeOf: (row: T) => number,
  pieceSize: number = PIECE_BYTES,
): Iterable<readonly T[]> {
  let piece: T[] = [];
  let size = 0;
  for (const row of rows) {
    piece.push(row);
    size += sizeOf(row);
    if (size < pieceSize) continue;
    yield piece;
    piece = [];
    size = 0;
  }
  if (piece.length > 0) yield piece;
}

/**
 * The bodies of rows as one parameter, as they are; an array of them would be sent as text, twice as long.
 *
 *     bytes    body body body ...
 *     rows     from where and how long each is: substring(bytes FROM begins FOR lengths)
 */
interface PackedBodies {
  readonly bytes: Buffer;
  readonly begins: readonly number[];
  readonly lengths: readonly number[];
}

export function packBodies(bodies: readonly Uint8Array[]): PackedBodies {
  const begins: number[] = [];
  let next = 1;
  for (const { length } of bodies) {
    begins.push(next);
    next += length;
  }
  return { bytes: Buffer.concat(bodies), begins, lengths: bodies.map(({ length }) => length) };
}
