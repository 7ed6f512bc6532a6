/** The import graph, between files and between folders. */
import { posix } from 'node:path';
import type { Load } from '../read/source.ts';
import { isProduction, type Tree } from '../read/tree.ts';
import { folderOf } from './folders.ts';

export interface Arrow {
  readonly from: string;
  readonly load: Load;
  /** The file that is loaded. */
  readonly to: string;
}

/** A name -> the names that it points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

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
  if (specifier === undefined || (kind === 'module' && !specifier.startsWith('.'))) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  // Imports have their extension. The name of a thread has none, and that of a built worker has another.
  const names = kind === 'module' ? [path] : [path, `${path}.ts`, path.replace(/\.js$/, '.ts')];
  return names.find(name => tree.has(name));
}

export function fileGraph(arrows: readonly Arrow[]): Graph {
  return graphOf(arrows, path => path);
}

/** Folders that ship, by each file's own folder, without arrows within a folder. */
export function folderGraph(arrows: readonly Arrow[], name: (path: string) => string = folderOf): Graph {
  return graphOf(
    arrows.filter(({ from, to }) => isProduction(from) && isProduction(to) && name(from) !== name(to)),
    name,
  );
}

function graphOf(arrows: readonly Arrow[], name: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    const targets = graph.get(name(from)) ?? new Set();
    graph.set(name(from), targets.add(name(to)));
  }
  return graph;
}
