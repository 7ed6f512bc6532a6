/**
 * The store of a watch in a database. The files of captures, or the spool of those that wait for a bucket, are in the
 * data folder, which one process has at a time, or the replicas of one watch.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type OpenPostgresOptions, openPostgresStore } from '../../store/io/postgres/open-postgres-store.ts';
import { takeOwnerLock } from '../../store/io/sqlite/owner-lock.ts';
import { type EvidenceSettings, openEvidence } from '../connect/open-evidence.ts';
import type { ServedStore } from '../../store/ports.ts';
import { sayFromThread } from './thread-settings.ts';

/** Throws a StoreError. */
export async function openDatabaseStore(
  url: string,
  folder: string,
  shownFolder: string,
  { isShared = false, ...options }: OpenPostgresOptions & { readonly isShared?: boolean | undefined },
  evidenceIn?: EvidenceSettings,
): Promise<ServedStore> {
  const evidence = await openEvidence(folder, evidenceIn, sayFromThread);
  if (options.toRead === true) return openPostgresStore(url, evidence, options);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Files are named by their content: replicas do not get in each other's way.
  if (isShared) return openPostgresStore(url, evidence, options);
  const lock = await takeOwnerLock(join(folder, 'oakum.lock'), shownFolder);
  return openPostgresStore(url, evidence, { ...options, closed: () => lock.release() });
}
