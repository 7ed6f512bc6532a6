/** What the terminal supports: colours and characters. */
import { ANSI, PLAIN, type Style } from '../../report/style.ts';
import type { Io } from './io.ts';

/** Whether to colour: --color, then NO_COLOR and FORCE_COLOR, then whether stdout is a terminal. */
export function styleFor(choice: string, io: Io): Style {
  if (choice === 'always') return ANSI;
  if (choice === 'never') return PLAIN;
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = io.env;
  if (no !== undefined && no !== '') return PLAIN;
  if (force !== undefined && force !== '' && force !== '0') return ANSI;
  return io.stdout.isTTY === true && term !== 'dumb' ? ANSI : PLAIN;
}

/** Whether the locale is UTF-8. Without a locale it is POSIX, which is ASCII only. */
export function isUtf8(env: Io['env']): boolean {
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}
