/** The store of a watch in a folder: SQLite, and the files of captures in `blobs` or elsewhere. */
import { type OpenStoreOptions, openWatchStore } from '../../store/io/sqlite/open-watch-store.ts';
import type { ServedStore } from '../../store/ports.ts';
import { type EvidenceSettings, openEvidence } from '../connect/open-evidence.ts';
import { sayFromThread } from './thread-settings.ts';

/** Throws a StoreError. */
export async function openFolderStore(
  folder: string,
  options: OpenStoreOptions = {},
  evidence?: EvidenceSettings,
): Promise<ServedStore> {
  return openWatchStore(folder, await openEvidence(folder, evidence, sayFromThread), options);
}
