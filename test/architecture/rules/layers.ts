/**
 * Which room may import which: imports go down one line. A room's own I/O is in its folders `io/` and `server/`;
 * everything else in it only computes, and does I/O through interfaces.
 */
import { folderOf, topOf } from '../graph/folders.ts';
import type { Arrow } from '../graph/graph.ts';
import { isProduction, isTest, type Tree } from '../read/tree.ts';
import type { Offence } from './offence.ts';

/** From the bottom up: each imports only those before it. */
const ROOMS: readonly string[] = [
  ...['base', 'profile', 'evidence', 'knowledge', 'judge', 'report'],
  ...['live', 'store', 'watch', 'act', 'gate', 'cli'],
];
/** The browser and the library load code without I/O. */
const LOADED_ANYWHERE: ReadonlySet<string> = new Set(['web', 'index']);

/** Whether files of this folder may do I/O: use Node modules and globals, and import others that do. */
export function doesIo(folder: string): boolean {
  return topOf(folder) === 'cli' || folder.split('/').some(name => name === 'io' || name === 'server');
}

export function layerOffences(tree: Tree, arrows: readonly Arrow[]): Offence[] {
  const homeless = [...tree.keys()].filter(path => isProduction(path) && !hasPlace(folderOf(path)));
  const misplaced = homeless.map(path => {
    const problem = `${topOf(folderOf(path))} has no place in ROOMS of test/architecture/rules/layers.ts`;
    return { path, line: 0, problem };
  });
  const wrong = arrows.flatMap(({ from, load, to }) => {
    const problem = isProduction(from) ? problemOf(from, to) : isTest(to) ? `imports the test ${to}` : undefined;
    if (problem === undefined) return [];
    return [{ path: from, line: load.line, problem, key: `arrow ${folderOf(from)} -> ${folderOf(to)}` }];
  });
  return [...misplaced, ...wrong];
}

function problemOf(from: string, to: string): string | undefined {
  if (isTest(to)) return `imports the test ${to}`;
  if (!/^(src|web)\//.test(to)) return `imports ${to}, which does not ship`;
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (isAllowed(folder, target)) return undefined;
  return `${folder} may not import ${target} (${to})`;
}

function isAllowed(folder: string, target: string): boolean {
  if (doesIo(target) && !doesIo(folder)) return false;
  const [top, targetTop] = [topOf(folder), topOf(target)];
  if (top === targetTop) return true;
  if (LOADED_ANYWHERE.has(top)) return ROOMS.includes(targetTop) || !hasPlace(target);
  // A folder without a place in ROOMS is reported separately.
  if (!hasPlace(folder) || !hasPlace(target)) return true;
  return ROOMS.includes(targetTop) && ROOMS.indexOf(targetTop) < ROOMS.indexOf(top);
}

function hasPlace(folder: string): boolean {
  return ROOMS.includes(topOf(folder)) || LOADED_ANYWHERE.has(topOf(folder));
}
