import { StoreError } from './ports.ts';
import type { StoreRow, StoreTable } from './tables.ts';

/**
 * The rows of a store as they are, to copy and compare them. Every method throws a StoreError.
 *
 *     while ((rows = await from.read(table, after, 500)).length > 0) {
 *       await to.write(table, rows, marker);              // all or nothing, with where it continues after a kill
 *       after = keyOf(table, rows.at(-1));
 *     }
 *     await to.finish();
 */
export interface StoreRows {
  /** As the user named it, without a password. */
  readonly shown: string;
  /** The same for the same place, however it was named. */
  readonly id: string;
  /** The next rows by their key; settings of one database are left out. */
  read(table: StoreTable, after: StoreRow | undefined, limit: number): Promise<readonly StoreRow[]>;
  /** Adds rows and replaces the settings, or does neither. A setting of undefined goes away. */
  write(table: StoreTable | undefined, rows: readonly StoreRow[], settings: Settings): Promise<void>;
  setting(key: string): Promise<string | undefined>;
  /** Numbers that the database gives go on after those that were written. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export type Settings = Readonly<Record<string, string | undefined>>;

/** The setting of a store that is being copied to: how far it has come. */
export const COPY_KEY = 'store.copy';

/** Tells the replicas of this store from those of others. */
export const GROUP_SETTING = 'store.replicas';

/** Settings that say something about one database, and not about what is in it. */
export const OWN_SETTINGS: readonly string[] = ['store.evidence', 'store.schema', 'store.copy', GROUP_SETTING];

/** A store with half of its rows would be taken for one that forgot the rest. */
export function refuseHalfCopy(marker: string | undefined, shown: string): void {
  if (marker === undefined) return;
  throw new StoreError(
    'refused',
    `${shown} is an unfinished copy: run the same oakum store copy again until it ends, or choose another place`,
  );
}
