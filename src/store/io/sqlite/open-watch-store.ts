/**
 * Opens the store of `oakum watch`, a folder of its own:
 *
 *     DIR/oakum.db  oakum.db-wal     samples, events, verdicts, incidents, captures
 *     DIR/oakum.lock                 the process that has it open
 *
 * The files of captures are elsewhere: in DIR/blobs, or in a bucket.
 */
import { makeFolder } from '../../../evidence/io/make-folder.ts';
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServedStore, StoreError, type EvidenceFiles } from '../../ports.ts';
import { Database, diskTrouble, isDamage, SQLITE_LIMITS, type SqliteLimits } from './database.ts';
import { type OwnerLock, type OwnerLockOptions, takeOwnerLock } from './owner-lock.ts';
import { SqliteWatchStore } from './watch-store.ts';
import { SCHEMA_VERSION, sqliteSteps } from '../../codec/schema-steps.ts';

/**
 * Brings a file to this version of the schema.
 *
 * "Oakm": tells our file from other SQLite files.
 */
export const APPLICATION_ID = 0x4f616b6d;

export interface OpenStoreOptions extends OwnerLockOptions {
  readonly limits?: Partial<SqliteLimits>;
  /** As the user named the folder. */
  readonly shown?: string;
  /** Renames a damaged database and starts a new one, instead of failing. Profiles stay in any case. */
  readonly setDamagedAside?: boolean;
  /** For what is missing of a store that was there. */
  readonly say?: (line: string) => void;
  /** Only a store that is there and was written by this version: nothing is made or migrated. */
  readonly toRead?: boolean;
}

/** Files up to this size are checked completely, which takes about a second. */
const MAX_CHECKED_BYTES = 256 * 1024 * 1024;

/** The store opens the evidence, once it has the lock, and closes it. Throws a StoreError. */
export async function openWatchStore(
  folder: string,
  evidence: EvidenceFiles,
  options: OpenStoreOptions = {},
): Promise<ServedStore> {
  const shown = options.shown ?? folder;
  let lock: OwnerLock | undefined;
  try {
    if (options.toRead === true) await requireStore(folder, shown);
    else await makeFolder(folder, 0o700);
    await refuseOpenFolder(folder, shown);
    const left = await leftBehind(folder);
    lock = await takeOwnerLock(join(folder, 'oakum.lock'), shown, options);
    if (options.toRead !== true) for (const line of whatIsMissing(left, shown)) options.say?.(line);
    const db = await openDatabase(join(folder, 'oakum.db'), shown, options);
    const limits = { ...SQLITE_LIMITS, ...options.limits };
    const store = new SqliteWatchStore(db, lock, { shown, folder }, evidence, limits);
    try {
      await store.load(options.toRead === true);
    } catch (error) {
      db.close();
      throw error;
    }
    return store;
  } catch (error) {
    await evidence.close();
    await lock?.release();
    if (error instanceof StoreError) throw error;
    const why = diskTrouble(error, folder);
    throw new StoreError('disk', `cannot open the store in ${shown}: ${why}`, { cause: error });
  }
}

interface LeftBehind {
  /** Undefined if there is no database. */
  readonly databaseBytes: number | undefined;
  readonly hasLog: boolean;
  /** A lock that nobody released: its process was killed. */
  readonly hasLock: boolean;
  readonly hasCaptures: boolean;
}

async function leftBehind(folder: string): Promise<LeftBehind> {
  const sizeOf = async (name: string): Promise<number | undefined> =>
    (await stat(join(folder, name)).catch(() => undefined))?.size;
  const captures = await readdir(join(folder, 'blobs')).catch(() => []);
  return {
    databaseBytes: await sizeOf('oakum.db'),
    hasLog: (await sizeOf('oakum.db-wal')) !== undefined,
    hasLock: (await sizeOf('oakum.lock')) !== undefined,
    hasCaptures: captures.length > 0,
  };
}

/** A database that was deleted or emptied opens as a new one, and one without its log as an older one. */
function whatIsMissing({ databaseBytes, hasLog, hasLock, hasCaptures }: LeftBehind, shown: string): string[] {
  const name = join(shown, 'oakum.db');
  if ((databaseBytes ?? 0) === 0)
    return databaseBytes === 0 || hasLog || hasLock || hasCaptures
      ? [`${name} is ${databaseBytes === 0 ? 'empty' : 'gone'}, and a store was there: it begins with an empty history`]
      : [];
  return hasLock && !hasLog
    ? [
        `${name} was in use when its process was killed, and its log oakum.db-wal is gone: the last changes may be missing`,
      ]
    : [];
}

/** A user who can write there can replace the evidence. */
async function refuseOpenFolder(folder: string, shown: string): Promise<void> {
  const { mode } = await stat(folder);
  const [othersWrite, sticky] = [0o002, 0o1000];
  if (process.platform === 'win32' || (mode & othersWrite) === 0 || (mode & sticky) !== 0) return;
  throw new StoreError(
    'refused',
    `anyone on this machine can write to ${shown}: chmod o-w it, or choose another folder`,
  );
}

export async function requireStore(folder: string, shown: string): Promise<void> {
  const found = await stat(join(folder, 'oakum.db')).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw new StoreError(
    'refused',
    `there is no store of oakum watch in ${shown}: give the folder that oakum watch has as --data`,
  );
}

export async function openDatabase(path: string, shown: string, options: OpenStoreOptions): Promise<Database> {
  const name = join(shown, 'oakum.db');
  const toRead = options.toRead ?? false;
  try {
    return await openWhole(path, name, toRead);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'damaged' || options.setDamagedAside !== true) throw error;
  }
  const suffix = `.damaged-${new Date().toISOString().replace(/[-:]|\..*/g, '')}`;
  await rename(path, path + suffix);
  await rename(`${path}-wal`, `${path}-wal${suffix}`).catch(() => {});
  return openWhole(path, name, toRead);
}

/** Throws a StoreError of kind `damaged` if it is not a whole database of ours. */
async function openWhole(path: string, shown: string, toRead: boolean): Promise<Database> {
  let db: Database | undefined;
  try {
    const bytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    db = new Database(path);
    if (toRead) refuseOlder(db, shown);
    migrate(db, shown);
    if (bytes > 0 && bytes <= MAX_CHECKED_BYTES) checkWhole(db, shown);
    return db;
  } catch (error) {
    db?.close();
    throw isDamage(error) ? damaged(shown, (error as Error).message) : error;
  }
}

function checkWhole(db: Database, shown: string): void {
  const [found] = Object.values(db.get('PRAGMA quick_check(1)') ?? {});
  // The first line only says that this is the main database.
  if (found !== 'ok') throw damaged(shown, String(found).split('\n').at(-1) ?? '');
}

function damaged(shown: string, why: string): StoreError {
  return new StoreError(
    'damaged',
    `${shown} is damaged (${why}); restore it, or start with --set-damaged-aside to rename it and begin with an empty one`,
  );
}

/** Migrates a file of an earlier version, or an empty one, to this version; `shown` is its name in messages. */
function migrate(db: Database, shown: string): void {
  const version = db.number('PRAGMA user_version');
  const application = db.number('PRAGMA application_id');
  const isEmpty = db.number('SELECT count(*) FROM sqlite_schema') === 0;
  if (!isEmpty && application !== APPLICATION_ID)
    throw new StoreError('refused', `${shown} is a database of another program; choose another folder`);
  if (version > SCHEMA_VERSION)
    throw new StoreError(
      'newer',
      `${shown} was written by a later version of oakum (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
        'use that version, or choose another folder',
    );
  if (version === SCHEMA_VERSION) return;
  if (!isEmpty && version < 1)
    throw new StoreError(
      'damaged',
      `${shown} is damaged (its schema has version ${version}); restore it, or start with --set-damaged-aside to rename it and begin with an empty one`,
    );
  db.transaction(() => {
    for (const step of sqliteSteps().slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** A reader must not migrate: the watch that writes it may be of the earlier version still. */
function refuseOlder(db: Database, shown: string): void {
  const version = db.number('PRAGMA user_version');
  if (version === 0 || version >= SCHEMA_VERSION) return;
  throw new StoreError(
    'refused',
    `${shown} was written by an earlier version of oakum (schema ${version}, this one writes ${SCHEMA_VERSION}); ` +
      'use that version, or start oakum watch on it with this one once',
  );
}
