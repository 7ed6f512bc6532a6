/** The store of a watch, in its own thread. Started by store-client.ts. */
import { workerData } from 'node:worker_threads';
import { serveStore } from '../../store/io/threaded-store.ts';
import { openDatabaseStore, openFolderStore, type StoreSettings } from './open-store.ts';

const { folder, database, evidence, isShared, options } = workerData as StoreSettings;
// The main thread bounds the queue.
const limits = { ...options.limits, maxWaitingBytes: Infinity };
serveStore(async () => {
  if (database === undefined) return openFolderStore(folder, { ...options, limits }, evidence);
  const { shown = folder, toRead = false } = options;
  return openDatabaseStore(database, folder, shown, { limits, toRead, isShared }, evidence);
});
