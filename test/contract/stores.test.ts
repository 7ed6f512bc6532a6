/** Every store fulfils the contract: SQLite here, SQLite in another thread, and the one in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, type TestContext } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { memoryStore } from '../../src/watch/io/memory-store.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import { type Thread, callsOver } from '../../src/store/io/start-thread.ts';
import { openThreadedStore } from '../../src/store/io/threaded-store.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { TYPESCRIPT } from '../places.ts';
import { isInTheTable } from './counted-tests.ts';
import { allStoreContracts } from './all-store-contracts.ts';
import { refuseWritesWhile, restoreDisk } from './refusing-disk.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-contract-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** A store in its own folder. */
async function inFolder(t: TestContext, open: (folder: string) => Promise<WatchStore>) {
  const folder = mkdtempSync(join(root, 'data-'));
  let current = await open(folder);
  t.after(() => current.close());
  const reopen = async (): Promise<WatchStore> => {
    await current.close();
    return (current = await open(folder));
  };
  return { store: current, reopen };
}

allStoreContracts({
  name: 'in memory',
  isLasting: false,
  hasDisk: false,
  make: async () => ({ store: memoryStore() }),
});

afterEach(restoreDisk);
allStoreContracts({
  name: 'SQLite',
  isLasting: true,
  hasDisk: true,
  make: async (t, limits = {}) => ({
    ...(await inFolder(t, folder => openFolderStore(folder, { shown: 'data', limits }))),
    refuseWrites: isRefusing => refuseWritesWhile(() => isRefusing),
  }),
});

const isRefusing = new Int32Array(new SharedArrayBuffer(4));
afterEach(() => void Atomics.store(isRefusing, 0, 0));
const loader = JSON.stringify(TYPESCRIPT);
const file = JSON.stringify(new URL('./many-stores-thread.ts', import.meta.url).href);
// One thread for all tests: starting one takes longer than most tests.
const worker = new Worker(`import(${loader}).then(() => import(${file}))`, {
  eval: true,
  workerData: isRefusing,
});
after(() => worker.terminate());

function threadFor(folder: string): Thread {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ port: port2, folder }, [port2]);
  const calls = callsOver(port1);
  return {
    ...calls,
    close: async () => {
      calls.end('closed');
      port1.close();
    },
  };
}

allStoreContracts({
  name: 'SQLite in another thread',
  isLasting: true,
  hasDisk: true,
  make: async (t, { maxWaitingBytes = Infinity } = {}) => ({
    ...(await inFolder(t, folder => openThreadedStore(threadFor(folder), maxWaitingBytes))),
    refuseWrites: refuses => void Atomics.store(isRefusing, 0, refuses ? 1 : 0),
  }),
});

isInTheTable();
