/**
 * Outside io/ and server/, code only computes: no I/O, no clock, no randomness. Even there, settings come as arguments
 * and the end of the process is the caller's: only the command line reads `process.env` and ends the process.
 */
import type { Offence } from '../offence.ts';
import { doesIo, folderOf, isProduction, roomOf } from '../paths.ts';
import type { Tree } from '../read/tree.ts';
import { isExcused } from './exceptions.ts';

/** `process` alone may be passed on, or taken apart. */
const OF_THE_COMMAND_LINE =
  /^process(?:\.(?:env|argv|argv0|execArgv|exit|exitCode|reallyExit|abort|loadEnvFile|stdin|stdout|stderr))?$/;

export function purityOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    if (source === undefined || !isProduction(path) || roomOf(path) === 'cli') continue;
    const folder = folderOf(path);
    const mayUse = (name: string): boolean =>
      doesIo(folder) || roomOf(path) === 'web' ? !OF_THE_COMMAND_LINE.test(name) : false;
    for (const { name, line } of source.globals) {
      if (mayUse(name) || isExcused(path, name)) continue;
      found.push({ rule: 'purity', path, line, problem: `${folder} may not use ${name}` });
    }
  }
  return found;
}
