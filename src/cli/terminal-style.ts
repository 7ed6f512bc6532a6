/** Whether to colour: --color, then NO_COLOR and FORCE_COLOR, then whether stdout is a terminal. */
import { ANSI, PLAIN, type Style } from '../report/style.ts';
import type { Io } from './io.ts';

export function styleFor(asked: string, io: Io): Style {
  if (asked === 'always') return ANSI;
  if (asked === 'never') return PLAIN;
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = io.env;
  if (no !== undefined && no !== '') return PLAIN;
  if (force !== undefined && force !== '' && force !== '0') return ANSI;
  return io.stdout.isTTY === true && term !== 'dumb' ? ANSI : PLAIN;
}
