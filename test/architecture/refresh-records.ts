/** The records as they should be for a tree. Offences may only decrease, and moving a file is no way around that. */
import { posix } from 'node:path';
import { arrowsOf } from './graph/graph.ts';
import { judge } from './judge.ts';
import type { Tree } from './read/tree.ts';
import type { Records } from './records.ts';
import { arrowTable } from './rules/arrows.ts';
import { longFiles } from './rules/sizes.ts';

export interface Refreshed {
  readonly records: Records;
  /** Offences that are not added to the records, and must be fixed. */
  readonly refused: readonly string[];
}

export function refreshRecords(tree: Tree, recorded: Records): Refreshed {
  const refused: string[] = [];
  const records = {
    arrows: [...arrowTable(tree, arrowsOf(tree)).keys()],
    known: refreshKnown(tree, recorded, refused),
    longFiles: refreshLongFiles(tree, recorded, refused),
  };
  return { records, refused };
}

/** For each kind, at most as many names as before. A moved file has a new name in the same number of cycles. */
function refreshKnown(tree: Tree, recorded: Records, refused: string[]): string[] {
  const found = judge(tree, { ...recorded, known: [] }).offences.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const present = [...new Set(found)].sort();
  return ['arrow', 'files', 'folders', 'unneeded'].flatMap(kind => {
    const isKind = (key: string): boolean => key.startsWith(`${kind} `);
    const [before, after] = [recorded.known.filter(isKind), present.filter(isKind)];
    if (names(after) <= names(before)) return after;
    refused.push(...after.filter(key => !before.includes(key)));
    return before.filter(key => after.includes(key));
  });
}

function names(keys: readonly string[]): number {
  return keys.reduce((total, key) => total + key.split(' ').length, 0);
}

function refreshLongFiles(tree: Tree, recorded: Records, refused: string[]): Map<string, number> {
  const kept = new Map<string, number>();
  for (const [path, lines] of longFiles(tree)) {
    const most = recorded.longFiles.get(path) ?? linesBeforeMove(path, tree, recorded.longFiles);
    if (lines <= most) kept.set(path, lines);
    else refused.push(`${path} has ${lines} lines`);
  }
  return kept;
}

/** The recorded length of a file with that name that no longer exists, or 0. */
function linesBeforeMove(path: string, tree: Tree, recorded: ReadonlyMap<string, number>): number {
  const isSameName = (old: string): boolean => posix.basename(old) === posix.basename(path) && !tree.has(old);
  return Math.max(0, ...Array.from(recorded, ([old, lines]) => (isSameName(old) ? lines : 0)));
}
