/** The rows of a database, to copy them. */
import { Failure } from '../../base/failure.ts';
import { storable } from '../../formats/watch-store/text-cells.ts';
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
import { Database } from './database.ts';
import { databaseTrouble } from './database-trouble.ts';
import { inPieces, packBodies } from './packed-bodies.ts';
import { migrate, requireCurrent } from './schema.ts';
import { parseStoreUrl } from './store-url.ts';

/** Tables whose numbers the database gives. */
const NUMBERED: ReadonlySet<StoreTable> = new Set([
  'targets',
  'metrics',
  'scrapes',
  'events',
  'verdict_changes',
  'outbox',
] as const);
/** They are never changed. */
const LASTING: ReadonlySet<StoreTable> = new Set(['plans', 'plan_records'] as const);

/** `toRead`: only a store that is there. Throws a StoreError, or a Failure if the address makes no sense. */
export async function openPostgresRows(url: string, { toRead }: { readonly toRead: boolean }): Promise<StoreRows> {
  const address = parseStoreUrl(url);
  let db: Database | undefined;
  try {
    db = await Database.open(address, toRead);
    if (toRead) await requireCurrent(db);
    else await migrate(db);
    return new PostgresRows(db);
  } catch (error) {
    await db?.close();
    throw troubleOf(error, address.shown);
  }
}

function troubleOf(error: unknown, shown: string): Failure {
  if (error instanceof Failure) return error;
  return new StoreError('unreachable', `cannot use the store in ${shown}: ${databaseTrouble(error)}`, { cause: error });
}

class PostgresRows implements StoreRows {
  readonly shown: string;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.shown = db.address.shown;
  }

  async rows(table: StoreTable, after: StoreKey | undefined, limit: number): Promise<readonly StoreRow[]> {
    const { columns, keyLength } = shapeOf(table);
    const names = Object.keys(columns);
    const key = names.slice(0, keyLength).map(name => (columns[name] === 'text' ? `${name} COLLATE "C"` : name));
    const conditions = [
      ...(after === undefined ? [] : [`(${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`]),
      ...ownPart(table),
    ];
    const rows = await this.#try(() =>
      this.#db.all(
        `SELECT ${names.join(', ')} FROM ${table} ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
         ORDER BY ${key.join(', ')} LIMIT ${limit}`,
        after ?? [],
      ),
    );
    return rows.map(row => names.map(name => cellOf(row[name], columns[name])));
  }

  async put(table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
    const bytesOf = (row: StoreRow): number => row.reduce<number>((sum, cell) => sum + sizeOf(cell), 0);
    for (const piece of inPieces(rows, bytesOf)) await this.#try(() => this.#putPiece(table, piece));
  }

  async #putPiece(table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
    const { columns, keyLength } = shapeOf(table);
    const names = Object.keys(columns);
    const values: unknown[] = [];
    const arrays: string[] = [];
    const given: string[] = [];
    const selected = names.map((name, i) => {
      const type = columns[name];
      if (type !== 'bytes') {
        arrays.push(
          `$${values.push(rows.map(row => cleanCell(row[i] ?? null)))}::${type === 'text' ? 'text' : 'double precision'}[]`,
        );
        given.push(name);
        return name;
      }
      const { bytes, begins, lengths } = packBodies(rows.map(row => row[i] as Uint8Array));
      const whole = `$${values.push(bytes)}::bytea`;
      arrays.push(`$${values.push(begins)}::int[]`, `$${values.push(lengths)}::int[]`);
      given.push(`${name}_begins`, `${name}_length`);
      return `substring(${whole} FROM ${name}_begins FOR ${name}_length)`;
    });
    const rest = names.slice(keyLength).map(name => `${name} = excluded.${name}`);
    const onRepeat = LASTING.has(table) ? 'NOTHING' : `UPDATE SET ${rest.join(', ')}`;
    await this.#db.transaction(async session => {
      await session.all(
        `INSERT INTO ${table} (${names.join(', ')}) SELECT ${selected.join(', ')}
         FROM unnest(${arrays.join(', ')}) AS given (${given.join(', ')})
         ON CONFLICT (${names.slice(0, keyLength).join(', ')}) DO ${onRepeat}`,
        values,
      );
      if (NUMBERED.has(table))
        await session.all(
          `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest(1, (SELECT max(id) FROM ${table})))`,
        );
    });
  }

  async count(table: StoreTable): Promise<number> {
    const conditions = ownPart(table);
    const [row] = await this.#try(() =>
      this.#db.all(
        `SELECT count(*) AS n FROM ${table} ${conditions.length === 0 ? '' : `WHERE ${conditions.join('')}`}`,
      ),
    );
    return Number(row?.['n']);
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw troubleOf(error, this.shown);
    }
  }
}

/** Rows that are content. */
function ownPart(table: StoreTable): string[] {
  if (table === 'meta') return [`key NOT LIKE '${OWN_SETTINGS}%'`];
  return table === 'targets' ? ['attributes IS NOT NULL'] : [];
}

function cellOf(value: unknown, type: string | undefined): StoreCell {
  if (value === null || value === undefined) return null;
  return type === 'bytes' ? (value as Uint8Array) : type === 'number' ? Number(value) : String(value);
}

function cleanCell(cell: StoreCell): StoreCell {
  return typeof cell === 'string' ? storable(cell) : cell;
}

function sizeOf(cell: StoreCell): number {
  return cell === null || typeof cell === 'number' ? 8 : cell.length;
}
