/** The second level: what each folder imports, as lines `adapters/http -> ports` and `adapters/http -> node:http`. */
import { folderOf } from '../graph/folders.ts';
import type { Arrow } from '../graph/graph.ts';
import { isProduction, type Tree } from '../read/tree.ts';
import { packageOf } from './packages.ts';

/** Line -> a file that has such an import, in the order of the lines. */
export function arrowTable(tree: Tree, arrows: readonly Arrow[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (from: string, to: string): void => {
    const line = `${folderOf(from)} -> ${to}`;
    if (isProduction(from) && folderOf(from) !== to && !found.has(line)) found.set(line, from);
  };
  for (const { from, to } of arrows) add(from, folderOf(to));
  for (const [path, { source }] of tree) {
    for (const { kind, specifier } of source?.loads ?? []) {
      if (kind === 'module' && specifier !== undefined && !specifier.startsWith('.')) add(path, packageOf(specifier));
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function tableDifferences(table: ReadonlyMap<string, string>, recorded: readonly string[]): string[] {
  const known = new Set(recorded);
  const fresh = Array.from(table).filter(([line]) => !known.has(line));
  const unused = recorded.filter(line => !table.has(line));
  return [
    ...fresh.map(([line, file]) => `arrows.txt lacks ${line} (${file})`),
    ...unused.map(line => `arrows.txt has ${line}, which nothing uses`),
  ];
}
