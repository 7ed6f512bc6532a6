/** A Markdown table of the folders that ship: their size, and the number of imports in each direction. */
import { folderOf, topOf } from './graph/folders.ts';
import { type Arrow, arrowsOf, folderGraph, type Graph } from './graph/graph.ts';
import { isProduction, isTest, type Tree } from './read/tree.ts';

interface Row {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly tests: number;
  /** Folders that import it, and folders that it imports. */
  readonly in: number;
  readonly out: number;
}

/** The top folders, then every folder. */
export function folderTable(tree: Tree): string {
  const arrows = arrowsOf(tree);
  const levels = [(path: string): string => topOf(folderOf(path)), folderOf];
  return levels.map(name => markdown(rowsOf(tree, arrows, name))).join('\n');
}

function rowsOf(tree: Tree, arrows: readonly Arrow[], name: (path: string) => string): Row[] {
  const graph = folderGraph(arrows, name);
  const folders = new Set([...tree.keys()].filter(isProduction).map(name));
  const rows = Array.from(folders, (folder): Row => {
    const files = [...tree].filter(([path]) => name(path) === folder);
    const sizes = files.flatMap(([path, { lines = 0 }]) => (isProduction(path) ? [lines] : [])).sort((a, b) => a - b);
    return {
      folder,
      files: sizes.length,
      lines: sizes.reduce((total, lines) => total + lines, 0),
      median: sizes[sizes.length >> 1],
      tests: files.filter(([path]) => isTest(path)).length,
      in: knownBy(graph, folder),
      out: graph.get(folder)?.size ?? 0,
    };
  });
  return rows.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function knownBy(graph: Graph, folder: string): number {
  return [...graph.values()].filter(targets => targets.has(folder)).length;
}

function markdown(rows: readonly Row[]): string {
  const columns = ['folder', 'files', 'lines', 'median', 'tests', 'in', 'out'] as const;
  const cells = [columns.map(String), ...rows.map(row => columns.map(column => String(row[column])))];
  const widths = columns.map((_, column) => Math.max(...cells.map(row => row[column].length)));
  const lineOf = (row: readonly string[]): string => {
    const padded = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    return `| ${padded.join(' | ')} |\n`;
  };
  const [head, ...body] = cells;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [lineOf(head), lineOf(rule), ...body.map(lineOf)].join('');
}
