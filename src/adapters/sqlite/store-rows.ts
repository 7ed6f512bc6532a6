/** The rows of a SQLite file, to copy them. */
import { join } from 'node:path';
import { storable } from '../../formats/watch-store/text-cells.ts';
import { Failure } from '../../base/failure.ts';
import { StoreError } from '../../ports/store-error.ts';
import {
  OWN_SETTINGS,
  shapeOf,
  type StoreCell,
  type StoreKey,
  type StoreRow,
  type StoreRows,
  type StoreTable,
} from '../../ports/store-rows.ts';
import type { Database, SqlRow } from './database.ts';
import { diskTrouble } from './disk-trouble.ts';
import { openDatabase, prepareFolder } from './open-watch-store.ts';
import { type OwnerLock, takeOwnerLock } from './owner-lock.ts';

/** They are never changed. */
const LASTING: ReadonlySet<StoreTable> = new Set(['plans', 'plan_records'] as const);

/** `toRead`: only a store that is there. Throws a StoreError, also if a watch has it open. */
export async function openSqliteRows(
  folder: string,
  { shown = folder, toRead }: { readonly shown?: string; readonly toRead: boolean },
): Promise<StoreRows> {
  let lock: OwnerLock | undefined;
  try {
    await prepareFolder(folder, shown, toRead);
    lock = await takeOwnerLock(join(folder, 'oakum.lock'), shown);
    return new SqliteRows(await openDatabase(join(folder, 'oakum.db'), shown, { toRead }), lock, folder, shown);
  } catch (error) {
    await lock?.release();
    throw troubleOf(error, folder, shown);
  }
}

function troubleOf(error: unknown, folder: string, shown: string): Failure {
  if (error instanceof Failure) return error;
  return new StoreError('disk', `cannot use the store in ${shown}: ${diskTrouble(error, folder)}`, { cause: error });
}

class SqliteRows implements StoreRows {
  readonly shown: string;
  readonly #db: Database;
  readonly #lock: OwnerLock;
  readonly #folder: string;

  constructor(db: Database, lock: OwnerLock, folder: string, shown: string) {
    this.#db = db;
    this.#lock = lock;
    this.#folder = folder;
    this.shown = shown;
  }

  async rows(table: StoreTable, after: StoreKey | undefined, limit: number): Promise<readonly StoreRow[]> {
    const { columns, keyLength } = shapeOf(table);
    const names = Object.keys(columns);
    const key = names.slice(0, keyLength).join(', ');
    const conditions = [
      ...(after === undefined ? [] : [`(${key}) > (${after.map(() => '?').join(', ')})`]),
      ...ownPart(table),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = this.#try(() =>
      this.#db.all(`SELECT ${names.join(', ')} FROM ${table} ${where} ORDER BY ${key} LIMIT ${limit}`, after ?? []),
    );
    return rows.map(row => names.map(name => cellOf(row, name)));
  }

  async put(table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
    const { columns, keyLength } = shapeOf(table);
    const names = Object.keys(columns);
    const rest = names.slice(keyLength).map(name => `${name} = excluded.${name}`);
    const onRepeat = LASTING.has(table) ? 'NOTHING' : `UPDATE SET ${rest.join(', ')}`;
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
      ON CONFLICT (${names.slice(0, keyLength).join(', ')}) DO ${onRepeat}`;
    this.#try(() =>
      this.#db.transaction(() => {
        for (const row of rows)
          this.#db.run(
            sql,
            row.map((cell, i) => cell ?? missing(names[i])),
          );
      }),
    );
  }

  async count(table: StoreTable): Promise<number> {
    const conditions = ownPart(table);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return this.#try(() => this.#db.number(`SELECT count(*) FROM ${table} ${where}`));
  }

  async close(): Promise<void> {
    this.#db.close();
    await this.#lock.release();
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw troubleOf(error, this.#folder, this.shown);
    }
  }
}

/** Rows that are content. */
function ownPart(table: StoreTable): string[] {
  return table === 'meta' ? [`key NOT LIKE '${OWN_SETTINGS}%'`] : [];
}

/** A target without samples was first seen at Infinity, and last at -Infinity. */
function cellOf(row: SqlRow, name: string): StoreCell {
  const cell = row[name] ?? null;
  if (typeof cell === 'string') return storable(cell);
  return cell === missing(name) ? null : cell;
}

function missing(name: string | undefined): number | null {
  return name === 'first_seen' ? Infinity : name === 'last_seen' ? -Infinity : null;
}
