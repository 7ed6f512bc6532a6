/** A thread that opens a store for each port it receives, and whose disk refuses while the shared flag is set. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import { serveStore } from '../../src/store/io/threaded-store.ts';
import { refuseWritesWhile } from './refusing-disk.ts';

export interface StoreRequest {
  readonly port: MessagePort;
  readonly folder: string;
}

const flag = workerData as Int32Array;
refuseWritesWhile(() => Atomics.load(flag, 0) === 1);
parentPort?.on('message', ({ port, folder }: StoreRequest) =>
  serveStore(() => openFolderStore(folder, { shown: 'data', limits: { maxWaitingBytes: Infinity } }), port),
);
