import type { EvidenceSettings } from '../connect/open-evidence.ts';
import type { OpenStoreOptions } from '../../store/io/sqlite/open-watch-store.ts';

/** Settings that the main thread passes to the thread of the store. */
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
