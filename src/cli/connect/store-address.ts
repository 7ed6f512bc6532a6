/** The address of a database as the command line or a file gives it. */
import { resolve } from 'node:path';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { isPostgresUrl, parseStoreUrl } from '../../store/io/postgres/store-url.ts';
import type { Io } from '../terminal/io.ts';
import { Failure } from '../../base/errors.ts';

const MAX_FILE_BYTES = 16 * 1024;

/** '' for none. */
export interface StoreValues {
  readonly store: string;
  readonly storeFile: string;
}

export interface StoreAddressText {
  /** With its password: not for messages. */
  readonly url: string;
  readonly shown: string;
}

/** Undefined if rows are kept in the data folder. */
export async function storeAddress({ store, storeFile }: StoreValues, io: Io): Promise<StoreAddressText | undefined> {
  if (store === '' && storeFile === '') return undefined;
  const url = store === '' ? await addressIn(storeFile, io) : store;
  const { password, shown } = parseStoreUrl(url);
  if (store !== '' && password !== undefined)
    io.stderr.write(
      'oakum: the password in the address shows in the list of processes; use PGPASSWORD, ~/.pgpass or a --store-file\n',
    );
  return { url, shown };
}

async function addressIn(path: string, io: Io): Promise<string> {
  const text = (await readBoundedText(resolve(io.cwd, path), MAX_FILE_BYTES, path)).trim();
  if (!isPostgresUrl(text)) throw new Failure('usage', `${path}: it has to hold postgres://USER@HOST/DATABASE`);
  return text;
}
