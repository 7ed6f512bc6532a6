/**
 * The SQLite file. Write-ahead log with one fsync per commit, in exclusive mode: node-sqlite3-wasm has no shared memory
 * for a log that several processes read.
 */
import { rmdirSync, statSync, statfsSync } from 'node:fs';
import sqlite from 'node-sqlite3-wasm';
import { DEFAULT_LIMITS, type StoreLimits } from '../../codec/store-limits.ts';

export type SqlValue = number | string | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Chunks are a few KiB each: smaller pages would waste a fifth more space. */
const PAGE_BYTES = 16384;
const CACHE_KIB = 16 * 1024;
const CHECKPOINT_PAGES = 500;

/** Exclusive mode comes first: without it, a file with a log cannot even be read. */
const SET_UP = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA page_size = ${PAGE_BYTES};
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -${CACHE_KIB};
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
  PRAGMA journal_size_limit = ${CHECKPOINT_PAGES * PAGE_BYTES};
  PRAGMA temp_store = MEMORY;
  PRAGMA trusted_schema = OFF;
`;

export class Database {
  readonly #path: string;
  readonly #db: sqlite.Database;
  readonly #statements = new Map<string, sqlite.Statement>();

  /** The caller owns the file, so a lock in it was left behind by a killed process. */
  constructor(path: string) {
    this.#path = path;
    removeStaleLock(path);
    this.#db = new sqlite.Database(path);
    try {
      this.#db.exec(SET_UP);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  run(sql: string, values: readonly SqlValue[] = []): void {
    this.#use(sql, statement => statement.run([...values]));
  }

  all(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.#use(sql, statement => statement.all([...values])) as SqlRow[];
  }

  /** The first of a few rows. Reads them all: a statement left half-way would keep the log from being emptied. */
  get(sql: string, values: readonly SqlValue[] = []): SqlRow | undefined {
    return this.all(sql, values)[0];
  }

  /** The first column of the first row. */
  number(sql: string, values: readonly SqlValue[] = []): number {
    return Number(Object.values(this.get(sql, values) ?? {})[0] ?? 0);
  }

  /** All of it or nothing. */
  transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Without freed pages, which are used again. */
  usedBytes(): number {
    return (this.number('PRAGMA page_count') - this.number('PRAGMA freelist_count')) * this.number('PRAGMA page_size');
  }

  /** On disk, with the log. */
  fileBytes(): number {
    return sizeOf(this.#path) + sizeOf(`${this.#path}-wal`);
  }

  close(): void {
    for (const statement of this.#statements.values()) finalize(statement);
    this.#statements.clear();
    this.#db.close();
  }

  /** Statements are prepared once. One that failed is not used again: it would report the same error twice. */
  #use<T>(sql: string, work: (statement: sqlite.Statement) => T): T {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    try {
      return work(statement);
    } catch (error) {
      this.#statements.delete(sql);
      finalize(statement);
      throw error;
    }
  }
}

function finalize(statement: sqlite.Statement): void {
  try {
    statement.finalize();
  } catch {
    // It reports the error of its last use; its memory is freed nevertheless.
  }
}

function removeStaleLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Why the disk refused, in words. SQLite only says "disk I/O error", so the disk itself is examined. */
const NO_SPACE_BYTES = 1024 * 1024;

const FULL = 'the disk is full; free some space';
const READ_ONLY = 'the file system is read-only; choose another folder';
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: 'the disk quota is used up; free some space',
  EROFS: READ_ONLY,
  ENOENT: 'no folder can be made there; choose another',
  EACCES: 'writing there is not permitted; choose another folder',
  EPERM: 'writing there is not permitted; choose another folder',
  ENOTDIR: 'a part of that path is no folder; choose another',
  EEXIST: 'there is a file of that name; choose another folder',
};

export function diskTrouble(error: unknown, folder: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (isSqliteError(error) && (/is full/.test(message) || isFull(folder))) return FULL;
  if (/readonly/.test(message)) return READ_ONLY;
  return message;
}

/** The file is not a database, or only parts of it are. */
export function isDamage(error: unknown): boolean {
  return isSqliteError(error) && /malformed|not a database/.test(error.message);
}

function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SQLite3Error';
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize, ffree } = statfsSync(folder);
    return bavail * bsize < NO_SPACE_BYTES || ffree === 0;
  } catch {
    return false;
  }
}

export interface SqliteLimits extends StoreLimits {
  /** The size of the database without freed pages. */
  readonly maxDatabaseBytes: number;
}

export const SQLITE_LIMITS: SqliteLimits = { ...DEFAULT_LIMITS, maxDatabaseBytes: 8192 * 1024 * 1024 };
