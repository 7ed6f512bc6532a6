/** Code is loaded by name, visible to readers and bundlers. */
import { posix } from 'node:path';
import { resolve } from '../graph.ts';
import type { Offence } from '../offence.ts';
import { isCode, isProduction } from '../paths.ts';
import type { Load } from '../read/source.ts';
import type { Tree } from '../read/tree.ts';
import { isExcused } from './exceptions.ts';

/** Globals that turn text into code, or load it. */
const FORBIDDEN = new Set(['eval', 'Function', 'require', 'module', 'exports', '__dirname', '__filename']);

export function loadingOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    if (source === undefined || !isProduction(path)) continue;
    const complain = (line: number, problem: string): void => void found.push({ rule: 'loading', path, line, problem });
    for (const load of source.loads) {
      const problem = problemOf(tree, path, load);
      if (problem !== undefined) complain(load.line, problem);
    }
    for (const { name, line } of source.loaders) complain(line, `${name} loads code past the imports`);
    for (const { name, line } of source.globals) {
      if (FORBIDDEN.has(name)) complain(line, `${name} hides code from readers; use an import`);
      if (name === 'import.meta' && !isExcused(path, name)) {
        complain(line, 'import.meta is only for new URL() with the path in quotes');
      }
    }
    for (const line of source.ambient) complain(line, 'declare may give a global another meaning; use an import');
  }
  return found;
}

function problemOf(tree: Tree, path: string, load: Load): string | undefined {
  const { kind, specifier } = load;
  if (specifier === undefined) {
    return isExcused(path, 'computed load')
      ? undefined
      : 'loads what it computes; write the path or the name in quotes';
  }
  const isMissing = specifier.startsWith('.') && resolve(tree, path, load) === undefined;
  if (isMissing && (kind !== 'url' || isCode(specifier))) {
    return `loads ${posix.join(posix.dirname(path), specifier)}, which is not there`;
  }
  return undefined;
}
