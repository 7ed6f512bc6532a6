/** Where a watch keeps its rows, if not in its data folder. */
import { parseStoreUrl } from '../../store/io/postgres/store-url.ts';
import { custom, file } from './kinds.ts';
import type { Option } from './option.ts';

export function storeOptions(
  help: string,
  excludes: readonly string[] = [],
): { readonly store: Option<string>; readonly storeFile: Option<string> } {
  return {
    store: custom(
      'postgres://USER@HOST/DATABASE',
      'postgres://USER@HOST/DATABASE',
      storeUrl,
    )({
      default: '',
      excludes,
      help: `${help}; the password is read from PGPASSWORD or ~/.pgpass`,
    }),
    storeFile: file({
      default: '',
      excludes: ['store', ...excludes],
      help: 'a file with that address, so that nobody sees a password in it',
    }),
  };
}

/** Throws a Failure that says what is wrong with it, without a password. */
function storeUrl(text: string): string {
  if (text !== '') parseStoreUrl(text);
  return text;
}
