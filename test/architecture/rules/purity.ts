/** Outside io/, code only computes: no I/O, no clock, no randomness. It does I/O through interfaces. */
import { folderOf, topOf } from '../graph/folders.ts';
import { isProduction, type Tree } from '../read/tree.ts';
import { isExcused } from './exceptions.ts';
import { doesIo } from './layers.ts';
import type { Offence } from './offence.ts';

export function purityOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    const folder = folderOf(path);
    if (source === undefined || !isProduction(path) || doesIo(folder) || topOf(folder) === 'web') continue;
    for (const { name, line } of source.globals) {
      if (!isExcused(path, name)) found.push({ path, line, problem: `${folder} may not use ${name}` });
    }
  }
  return found;
}
