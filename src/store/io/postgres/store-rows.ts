/** The rows of a store in PostgreSQL. They are read from one moment of it, so a watch may go on writing. */
import { POSTGRES, selectPage } from '../../codec/statements.ts';
import { type Settings, type StoreRows, StoreError } from '../../ports.ts';
import { type Cell, STORE_TABLES, type StoreRow, type StoreTable } from '../../tables.ts';
import { Database, type Session, type Snapshot } from './database.ts';
import { databaseTrouble, hasCode } from './database-trouble.ts';
import { readSetting, saveSetting, storableCell } from './record-tables.ts';
import { migrate, requireCurrent } from './schema.ts';
import { parseStoreUrl } from './store-url.ts';
import { Failure } from '../../../base/errors.ts';

const USUAL_PORT = 5432;

export async function openPostgresRows(url: string, toRead: boolean): Promise<StoreRows> {
  const address = parseStoreUrl(url);
  let db: Database | undefined;
  try {
    db = await Database.open(address, toRead);
    if (toRead) await requireCurrent(db);
    else await migrate(db);
    return new PostgresRows(db, toRead ? await db.snapshot() : undefined);
  } catch (error) {
    await db?.close();
    throw storeError(error, address.shown);
  }
}

class PostgresRows implements StoreRows {
  readonly shown: string;
  readonly id: string;
  readonly #db: Database;
  readonly #snapshot: Snapshot | undefined;

  constructor(db: Database, snapshot: Snapshot | undefined) {
    this.#db = db;
    this.#snapshot = snapshot;
    const { host = '', port, database = '', schema, shown } = db.address;
    this.shown = shown;
    this.id = `postgres ${host} ${port ?? USUAL_PORT} ${database} ${schema}`;
  }

  async read(table: StoreTable, after: StoreRow | undefined, limit: number): Promise<readonly StoreRow[]> {
    const { columns, numbers } = table;
    const { sql, values } = selectPage(POSTGRES, table, after, limit);
    const rows = await this.#guarded(this.#session().all(sql, values));
    return rows.map(row => columns.map(column => cellOf(row[column] ?? UNSEEN[column], numbers.has(column))));
  }

  async write(table: StoreTable | undefined, rows: readonly StoreRow[], settings: Settings): Promise<void> {
    await this.#guarded(
      this.#db.transaction(async session => {
        if (table !== undefined && rows.length > 0) await insert(session, table, rows);
        for (const [key, value] of Object.entries(settings)) {
          if (value === undefined) await session.all('DELETE FROM meta WHERE key = $1', [key]);
          else await saveSetting(session, key, value);
        }
      }),
    );
  }

  async setting(key: string): Promise<string | undefined> {
    return this.#guarded(readSetting(this.#session(), key));
  }

  async finish(): Promise<void> {
    for (const { name, isNumbered } of STORE_TABLES) {
      const sql = `SELECT setval(pg_get_serial_sequence('${name}', 'id'), greatest((SELECT max(id) FROM ${name}), 1))`;
      if (isNumbered) await this.#guarded(this.#db.all(sql));
    }
  }

  async close(): Promise<void> {
    await this.#snapshot?.end();
    await this.#db.close();
  }

  #session(): Session {
    return this.#snapshot ?? this.#db;
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw storeError(error, this.shown);
    }
  }
}

async function insert(session: Session, table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
  const { columns } = table;
  const values: unknown[] = [];
  const tuples = rows.map(row => {
    const marks = row.map((given, i) => {
      const cell = given === UNSEEN[columns[i] ?? ''] ? null : given;
      values.push(cell instanceof Uint8Array ? Buffer.from(cell) : storableCell(cell));
      return `$${values.length}`;
    });
    return `(${marks.join(', ')})`;
  });
  await session.all(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, values);
}

/** The times of a target without samples: NULL here, and as SQLite has them in rows. */
const UNSEEN: Readonly<Record<string, number>> = { first_seen: Infinity, last_seen: -Infinity };

/** bigint comes as text: it may have more digits than a number of JavaScript, which ours do not. */
function cellOf(value: unknown, isNumber: boolean): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  return isNumber ? Number(value) : String(value);
}

function storeError(error: unknown, shown: string): unknown {
  if (error instanceof Failure) return error;
  const why = hasCode(error, '23505')
    ? 'a row is there already: another process writes to it; stop it, and copy to an empty place'
    : databaseTrouble(error);
  return new StoreError('unreachable', `${shown}: ${why}`, { cause: error });
}
