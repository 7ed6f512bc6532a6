/**
 * Opens the store of `oakum watch` in a PostgreSQL database. Several processes may have it open: the database gives
 * numbers to targets and metrics, and upkeep is done by one of them at a time.
 *
 * The files of captures are elsewhere: in a folder, or in a bucket.
 */
import { DEFAULT_LIMITS, type StoreLimits } from '../../codec/store-limits.ts';
import { type ServedStore, StoreError, type EvidenceFiles } from '../../ports.ts';
import { Database, type Patience } from './database.ts';
import { databaseTrouble } from './database-trouble.ts';
import { migrate, requireCurrent } from './schema.ts';
import { parseStoreUrl } from './store-url.ts';
import { PostgresWatchStore } from './watch-store.ts';
import { Failure } from '../../../base/errors.ts';

export interface OpenPostgresOptions {
  readonly limits?: Partial<StoreLimits>;
  /** For messages, in place of the address without its password. */
  readonly shown?: string;
  /** Only a store that is there and was written by this version: nothing is made, migrated or written. */
  readonly toRead?: boolean;
  readonly patience?: Patience;
  /** Called once the store is closed, or could not be opened. */
  readonly closed?: () => Promise<void>;
}

/** The store opens the evidence, and closes it. Throws a StoreError, or a Failure if the address makes no sense. */
export async function openPostgresStore(
  url: string,
  evidence: EvidenceFiles,
  options: OpenPostgresOptions = {},
): Promise<ServedStore> {
  const address = parseStoreUrl(url);
  const { limits, shown = address.shown, toRead = false, patience, closed = async () => {} } = options;
  let db: Database | undefined;
  try {
    db = await Database.open(address, toRead, patience);
    if (toRead) await requireCurrent(db);
    else await migrate(db);
    const store = new PostgresWatchStore(db, evidence, { ...DEFAULT_LIMITS, ...limits }, { shown, toRead, closed });
    await store.load();
    return store;
  } catch (error) {
    await evidence.close();
    await db?.close();
    await closed();
    if (error instanceof Failure) throw error;
    throw new StoreError('unreachable', `cannot open the store in ${shown}: ${databaseTrouble(error)}`, {
      cause: error,
    });
  }
}
