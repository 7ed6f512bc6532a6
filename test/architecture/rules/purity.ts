/**
 * Pure folders only compute. Ports are interfaces and the engine does all I/O through them, so both are held to it too.
 */
import { folderOf, topOf } from '../graph/folders.ts';
import { isProduction, type Tree } from '../read/tree.ts';
import { isExcused } from './exceptions.ts';
import { PURE } from './layers.ts';
import type { Offence } from './offence.ts';

const WITHOUT_GLOBALS = new Set([...PURE, 'ports', 'engine', 'index']);

export function purityOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    const top = topOf(folderOf(path));
    if (source === undefined || !isProduction(path) || !WITHOUT_GLOBALS.has(top)) continue;
    for (const { name, line } of source.globals) {
      if (!isExcused(path, name)) found.push({ path, line, problem: `${top} may not use ${name}` });
    }
  }
  return found;
}
