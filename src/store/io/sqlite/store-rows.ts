/** The rows of a store in a folder. Nobody else may have it open: the write-ahead log has one reader. */
import { makeFolder } from '../../../evidence/io/make-folder.ts';
import { join, resolve } from 'node:path';
import { selectPage, SQLITE, valuesOf } from '../../codec/statements.ts';
import { type Settings, type StoreRows, StoreError } from '../../ports.ts';
import { type Cell, settingRow, type StoreRow, type StoreTable } from '../../tables.ts';
import { type Database, type SqlValue, diskTrouble } from './database.ts';
import { openDatabase, requireStore } from './open-watch-store.ts';
import { readSetting, saveRecord } from './record-tables.ts';
import { readUnsealed } from './sample-reader.ts';
import { type OwnerLock, takeOwnerLock } from './owner-lock.ts';

export async function openSqliteRows(folder: string, shown: string, toRead: boolean): Promise<StoreRows> {
  let lock: OwnerLock | undefined;
  try {
    if (toRead) await requireStore(folder, shown);
    else await makeFolder(folder, 0o700);
    lock = await takeOwnerLock(join(folder, 'oakum.lock'), shown);
    const db = await openDatabase(join(folder, 'oakum.db'), shown, { toRead });
    return new SqliteRows(db, lock, folder, shown);
  } catch (error) {
    await lock?.release();
    throw storeError(error, folder, shown);
  }
}

class SqliteRows implements StoreRows {
  readonly shown: string;
  readonly id: string;
  readonly #db: Database;
  readonly #lock: OwnerLock;
  readonly #folder: string;
  #seen: ReadonlyMap<number, Span> = new Map();

  constructor(db: Database, lock: OwnerLock, folder: string, shown: string) {
    this.#db = db;
    this.#lock = lock;
    this.#folder = folder;
    this.shown = shown;
    this.id = resolve(folder);
  }

  async read(table: StoreTable, after: StoreRow | undefined, limit: number): Promise<readonly StoreRow[]> {
    const isTargets = table.name === 'targets';
    if (isTargets && after === undefined) this.#seen = this.#guarded(() => unsealedSpans(this.#db));
    const { sql, values } = selectPage(SQLITE, table, after, limit);
    const found = this.#guarded(() => this.#db.all(sql, values));
    const rows = found.map(row => table.columns.map(column => cellOf(row[column])));
    return isTargets ? rows.map(row => withSpan(row, this.#seen.get(Number(row[0])), table)) : rows;
  }

  async write(table: StoreTable | undefined, rows: readonly StoreRow[], settings: Settings): Promise<void> {
    this.#guarded(() =>
      this.#db.transaction(() => {
        if (table !== undefined) {
          const sql = `INSERT INTO ${table.name} ${valuesOf(table.columns, SQLITE)}`;
          for (const row of rows) this.#db.run(sql, row);
        }
        for (const [key, value] of Object.entries(settings)) {
          if (value === undefined) this.#db.run('DELETE FROM meta WHERE key = ?', [key]);
          else saveRecord(this.#db, settingRow(key, value));
        }
      }),
    );
  }

  async setting(key: string): Promise<string | undefined> {
    return this.#guarded(() => readSetting(this.#db, key));
  }

  /** SQLite goes on after the highest number by itself. */
  async finish(): Promise<void> {}

  async close(): Promise<void> {
    this.#db.close();
    await this.#lock.release();
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.#folder, this.shown);
    }
  }
}

/** From the first to the last sample. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** The times at which targets were seen are only saved with sealed samples. */
function unsealedSpans(db: Database): ReadonlyMap<number, Span> {
  const spans = new Map<number, Span>();
  for (const { target_group: group } of db.all('SELECT DISTINCT target_group FROM scrapes'))
    for (const [id, samples] of readUnsealed(db, Number(group), () => {}).rows)
      for (const { at } of samples) {
        const { first, last } = spans.get(id) ?? { first: at, last: at };
        spans.set(id, { first: Math.min(first, at), last: Math.max(last, at) });
      }
  return spans;
}

function withSpan(row: StoreRow, span: Span | undefined, { columns }: StoreTable): StoreRow {
  if (span === undefined) return row;
  return row.map((cell, i) => {
    if (columns[i] === 'first_seen') return Math.min(Number(cell), span.first);
    return columns[i] === 'last_seen' ? Math.max(Number(cell), span.last) : cell;
  });
}

function cellOf(value: SqlValue | bigint | undefined): Cell {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}

function storeError(error: unknown, folder: string, shown: string): unknown {
  if (error instanceof StoreError) return error;
  return new StoreError('disk', `${shown}: ${diskTrouble(error, folder)}`, { cause: error });
}
