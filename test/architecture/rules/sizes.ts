/** Files short enough to read at once. records/long-files.txt lists those that are still longer. */
import type { Tree } from '../read/tree.ts';
import type { Offence } from './offence.ts';

const MAX_LINES = 400;
/** A command declares its options and makes one call. */
const COMMAND = /^src\/cli\/commands\/(?!.*\.test\.)/;
const MAX_COMMAND_LINES = 150;

export function sizeOffences(tree: Tree, recorded: ReadonlyMap<string, number>): Offence[] {
  return Array.from(longFiles(tree)).flatMap(([path, lines]) => {
    const most = recorded.get(path) ?? limitOf(path);
    if (lines <= most) return [];
    const grown = recorded.has(path) ? ', more than before' : '';
    return [{ path, line: 0, problem: `has ${lines} lines${grown}; the most is ${limitOf(path)}. Split it` }];
  });
}

/** Entries that are higher than the file's length. */
export function staleSizes(tree: Tree, recorded: ReadonlyMap<string, number>): string[] {
  const now = longFiles(tree);
  return Array.from(recorded).flatMap(([path, lines]) => {
    const present = now.get(path) ?? 0;
    if (present >= lines) return [];
    return [`long-files.txt: ${path} no longer has ${lines} lines`];
  });
}

/** Path -> lines, for all files that are too long. */
export function longFiles(tree: Tree): Map<string, number> {
  const found = new Map<string, number>();
  for (const [path, { lines = 0 }] of tree) {
    if (lines > limitOf(path)) found.set(path, lines);
  }
  return found;
}

function limitOf(path: string): number {
  return COMMAND.test(path) ? MAX_COMMAND_LINES : MAX_LINES;
}
