/** The connections of a replica beside those of its store, so that no long statement there delays a beat. */
import { Database, type Patience } from '../../../store/io/postgres/database.ts';
import { databaseTrouble } from '../../../store/io/postgres/database-trouble.ts';
import { migrate } from '../../../store/io/postgres/schema.ts';
import { parseStoreUrl, type StoreAddress } from '../../../store/io/postgres/store-url.ts';
import { StoreError } from '../../../store/ports.ts';

/** A beat that fails leaves time for another one before the replica has to give up. */
export const REPLICA_PATIENCE: Patience = { urgent: 3_000, others: 5_000 };

/** Throws a StoreError, or a Failure if the address makes no sense. */
export async function openReplicaTables(url: string): Promise<Database> {
  const address = parseStoreUrl(url);
  try {
    await prepare(address);
    return await Database.open(address, false, REPLICA_PATIENCE);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('unreachable', `cannot open the store in ${address.shown}: ${databaseTrouble(error)}`, {
      cause: error,
    });
  }
}

/** With the usual patience: others may be at it. */
async function prepare(address: StoreAddress): Promise<void> {
  const db = await Database.open(address, false);
  try {
    await migrate(db);
  } finally {
    await db.close();
  }
}
