/** Files short enough to read at once. */
import type { Offence } from '../offence.ts';
import type { Tree } from '../read/tree.ts';

const MAX_LINES = 800;

export function sizeOffences(tree: Tree): Offence[] {
  return Array.from(tree).flatMap(([path, { lines = 0 }]) => {
    if (lines <= MAX_LINES) return [];
    return [
      {
        rule: 'long-file',
        path,
        line: 0,
        problem: `has ${lines} lines; the limit is ${MAX_LINES}. Split it`,
        weight: lines - MAX_LINES,
      },
    ];
  });
}
