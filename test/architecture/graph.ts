/** The import graph between files. */
import { posix } from 'node:path';
import type { Load } from './read/source.ts';
import type { Tree } from './read/tree.ts';

export interface Arrow {
  readonly from: string;
  readonly load: Load;
  /** The file that is loaded. */
  readonly to: string;
}

/** The arrows between files of the tree; packages and data are not in it. */
export function arrowsOf(tree: Tree): Arrow[] {
  const arrows: Arrow[] = [];
  for (const [from, { source }] of tree) {
    for (const load of source?.loads ?? []) {
      const to = resolve(tree, from, load);
      if (to !== undefined) arrows.push({ from, load, to });
    }
  }
  return arrows;
}

/** The file that a load refers to, if there is one. */
export function resolve(tree: Tree, from: string, { kind, specifier }: Load): string | undefined {
  if (specifier === undefined || (kind !== 'url' && !specifier.startsWith('.'))) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  // Imports have their extension. The name of a thread has none, and that of a built worker has another.
  const names = kind === 'url' ? [path, `${path}.ts`, path.replace(/\.js$/, '.ts')] : [path];
  return names.find(name => tree.has(name));
}

/** A file -> the files at the other end of its arrows. */
export function graphOf(arrows: readonly Arrow[], direction: 'imports' | 'importers'): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    const [near, far] = direction === 'imports' ? [from, to] : [to, from];
    graph.set(near, (graph.get(near) ?? new Set()).add(far));
  }
  return graph;
}
