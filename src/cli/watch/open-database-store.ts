/**
 * The store of a watch in a database. The files of captures are in the data folder, which one process has at a time, or the replicas of
 * one watch.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EvidenceFolder } from '../../adapters/files/evidence-folder.ts';
import { type OpenPostgresOptions, openPostgresStore } from '../../adapters/postgres/open-postgres-store.ts';
import { takeOwnerLock } from '../../adapters/sqlite/owner-lock.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

/** Throws a StoreError. */
export async function openDatabaseStore(
  url: string,
  folder: string,
  shownFolder: string,
  { isShared = false, ...options }: OpenPostgresOptions & { readonly isShared?: boolean | undefined },
): Promise<WatchStore> {
  const evidence = new EvidenceFolder(join(folder, 'blobs'));
  if (options.toRead === true) return openPostgresStore(url, evidence, options);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Files are named by their content: replicas do not get in each other's way.
  if (isShared) return openPostgresStore(url, evidence, options);
  const lock = await takeOwnerLock(join(folder, 'oakum.lock'), shownFolder);
  return openPostgresStore(url, evidence, { ...options, closed: () => lock.release() });
}
