/** The store of a watch, in its own thread. Started by store-client.ts. */
import { workerData } from 'node:worker_threads';
import { openFolderStore } from './open-folder-store.ts';
import { serveStore } from '../../adapters/threads/serve-store.ts';
import type { StoreSettings } from './store-settings.ts';

const { folder, options } = workerData as StoreSettings;
// The main thread bounds the queue.
const limits = { ...options.limits, maxWaitingBytes: Infinity };
serveStore(() => openFolderStore(folder, { ...options, limits }));
