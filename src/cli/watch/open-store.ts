/** Opens the store of a watch. store-thread.ts does so in a thread of its own. */
import { makeFolder } from '../../evidence/io/make-folder.ts';
import { join } from 'node:path';
import { visible } from '../../base/visible-text.ts';
import type { OpenPostgresOptions } from '../../store/io/postgres/watch-store.ts';
import type { OpenStoreOptions } from '../../store/io/sqlite/open-watch-store.ts';
import type { ServedStore } from '../../store/ports.ts';
import { type EvidenceSettings, openEvidence } from '../connect/store-places.ts';

/** What the main thread tells the thread of the store. */
export interface StoreSettings {
  readonly folder: string;
  /** Undefined: the files of captures are in the folder too. */
  readonly evidence?: EvidenceSettings | undefined;
  /** The database that has the rows; undefined if they are in the folder too. */
  readonly database?: string | undefined;
  /** Replicas may share the folder of the files. */
  readonly isShared?: boolean | undefined;
  readonly options: Pick<OpenStoreOptions, 'limits' | 'shown' | 'setDamagedAside' | 'toRead'>;
}

/** In a folder: SQLite, and the files of captures in `blobs` or elsewhere. Throws a StoreError. */
export async function openFolderStore(
  folder: string,
  options: OpenStoreOptions = {},
  evidence?: EvidenceSettings,
): Promise<ServedStore> {
  const { openWatchStore } = await import('../../store/io/sqlite/open-watch-store.ts');
  return openWatchStore(folder, await openEvidence(folder, evidence, say), { say, ...options });
}

/**
 * In a database. The files of captures, or the spool of those that wait for a bucket, are in the data folder, which one
 * process has at a time, or the replicas of one watch. Throws a StoreError.
 */
export async function openDatabaseStore(
  url: string,
  folder: string,
  shownFolder: string,
  { isShared = false, ...options }: OpenPostgresOptions & { readonly isShared?: boolean | undefined },
  evidenceIn?: EvidenceSettings,
): Promise<ServedStore> {
  const { openPostgresStore } = await import('../../store/io/postgres/watch-store.ts');
  const evidence = await openEvidence(folder, evidenceIn, say);
  if (options.toRead === true) return openPostgresStore(url, evidence, options);
  await makeFolder(folder, 0o700);
  // Files are named by their content: replicas do not get in each other's way.
  if (isShared) return openPostgresStore(url, evidence, options);
  const { takeOwnerLock } = await import('../../store/io/sqlite/owner-lock.ts');
  const lock = await takeOwnerLock(join(folder, 'oakum.lock'), shownFolder);
  return openPostgresStore(url, evidence, { ...options, closed: () => lock.release() });
}

function say(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}
