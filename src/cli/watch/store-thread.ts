/** The store of a watch, in its own thread. Started by store-client.ts. */
import { workerData } from 'node:worker_threads';
import { serveStore } from '../../store/io/threads/serve-store.ts';
import type { StoreSettings } from './thread-settings.ts';

const { folder, database, evidence, isShared, options } = workerData as StoreSettings;
// The main thread bounds the queue.
const limits = { ...options.limits, maxWaitingBytes: Infinity };
serveStore(async () => {
  if (database === undefined)
    return (await import('./open-folder-store.ts')).openFolderStore(folder, { ...options, limits }, evidence);
  const { openDatabaseStore } = await import('./open-database-store.ts');
  const { shown = folder, toRead = false } = options;
  return openDatabaseStore(database, folder, shown, { limits, toRead, isShared }, evidence);
});
