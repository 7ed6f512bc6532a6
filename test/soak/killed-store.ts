/** A store that is killed: in a folder, or in a database with its profiles in the folder. */
import { openDatabaseStore } from '../../src/cli/watch/open-store.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import type { StoreLimits } from '../../src/store/codec/store-limits.ts';
import type { WatchStore } from '../../src/store/ports.ts';

export function openKilledStore(
  folder: string,
  database: string | undefined,
  limits: Partial<StoreLimits> = {},
): Promise<WatchStore> {
  return database === undefined
    ? openFolderStore(folder, { limits })
    : openDatabaseStore(database, folder, folder, { limits });
}
