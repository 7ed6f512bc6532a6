/** Files short enough to read at once. */
import type { Offence } from '../offence.ts';
import type { Tree } from '../read/tree.ts';
import { isCommand } from './commands.ts';

const MAX_LINES = 800;
/** A command declares its options and makes one call. */
const MAX_COMMAND_LINES = 150;

export function sizeOffences(tree: Tree): Offence[] {
  return Array.from(tree).flatMap(([path, { lines = 0 }]) => {
    const max = isCommand(path) ? MAX_COMMAND_LINES : MAX_LINES;
    if (lines <= max) return [];
    return [
      {
        rule: 'long-file',
        path,
        line: 0,
        problem: `has ${lines} lines; the limit is ${max}. Split it`,
        weight: lines - max,
      },
    ];
  });
}
