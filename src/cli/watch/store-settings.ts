import type { OpenStoreOptions } from '../../adapters/sqlite/open-watch-store.ts';

/** What the main thread tells the thread of the store. */
export interface StoreSettings {
  readonly folder: string;
  readonly options: Pick<OpenStoreOptions, 'limits' | 'shown' | 'setDamagedAside'>;
}
