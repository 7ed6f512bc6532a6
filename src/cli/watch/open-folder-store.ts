/** The store of a watch with nothing but a folder: SQLite, and the files of captures in `blobs`. */
import { join } from 'node:path';
import { EvidenceFolder } from '../../adapters/files/evidence-folder.ts';
import { type OpenStoreOptions, openWatchStore } from '../../adapters/sqlite/open-watch-store.ts';
import type { WatchStore } from '../../ports/watch-store.ts';

/** Throws a StoreError. */
export function openFolderStore(folder: string, options: OpenStoreOptions = {}): Promise<WatchStore> {
  return openWatchStore(folder, new EvidenceFolder(join(folder, 'blobs')), options);
}
