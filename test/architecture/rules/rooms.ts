/**
 * Which room may import which: the table of rooms in docs/architecture.md, which must equal the sources. Imports go up
 * its rows only, so there are no cycles of rooms. A room's own I/O is in its folders `io/` and `server/`; everything
 * else in it only computes, and does I/O through interfaces.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Arrow } from '../graph.ts';
import type { Offence } from '../offence.ts';
import { doesIo, folderOf, isProduction, isTest, roomOf } from '../paths.ts';
import { ROOT } from '../read/parser.ts';
import type { Tree } from '../read/tree.ts';

/** Room -> the rooms that it imports, in the order of the table. */
export type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

const PAGE = 'docs/architecture.md';
const TABLE = /^\| room +\|.*\n(?:\|.*\n)+/m;
/** The browser and the library load code without I/O, and nothing imports them. */
const LOADED_ANYWHERE: ReadonlySet<string> = new Set(['web', 'library']);

export function readRooms(): Rooms {
  const [, , ...rows] = cellsOf(tableIn(readFileSync(join(ROOT, PAGE), 'utf8')));
  return new Map(rows.map(([room, , imports]) => [wordsIn(room)[0], new Set(wordsIn(imports))]));
}

/** Rewrites the imports; rooms, and what they are for, are written by hand. */
export function writeRooms(rooms: Rooms): void {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const table = tableIn(page);
  const [head, , ...rows] = cellsOf(table);
  const cells = rows.map(([room, purpose]) => {
    return [room, purpose, Array.from(rooms.get(wordsIn(room)[0]) ?? [], name => `\`${name}\``).join(' ')];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map(row => row[column].length)));
  const lineOf = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`;
  const lines = [head, widths.map(width => '-'.repeat(width)), ...cells].map(lineOf);
  writeFileSync(
    join(ROOT, PAGE),
    page.replace(table, () => lines.join('')),
  );
}

function tableIn(page: string): string {
  const [table] = TABLE.exec(page) ?? [];
  if (table === undefined) throw new Error(`${PAGE} has no table of rooms`);
  return table;
}

function cellsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

/** The words in backticks. */
function wordsIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([a-z]+)`/g), ([, word]) => word);
}

/** The table as the sources have it. */
export function roomsOf(rooms: Rooms, arrows: readonly Arrow[]): Rooms {
  const names = [...rooms.keys()];
  const pairs = new Set(
    arrows
      .filter(({ from, to }) => isProduction(from) && isProduction(to))
      .map(({ from, to }) => `${roomOf(from)} ${roomOf(to)}`),
  );
  return new Map(
    names.map(room => [room, new Set(names.filter(other => other !== room && pairs.has(`${room} ${other}`)))]),
  );
}

export function roomOffences(tree: Tree, arrows: readonly Arrow[], rooms: Rooms): Offence[] {
  const homeless = [...tree.keys()].filter(path => isProduction(path) && !rooms.has(roomOf(path)));
  const misplaced = homeless.map(path => {
    return { rule: 'room', path, line: 0, problem: `${roomOf(path)} is not in the table of ${PAGE}` };
  });
  const wrong = arrows.flatMap(({ from, load, to }) => {
    const problem = isTest(to) ? `imports the test ${to}` : isProduction(from) ? problemOf(from, to, rooms) : undefined;
    return problem === undefined ? [] : [{ rule: 'arrow', path: from, line: load.line, problem }];
  });
  return [...misplaced, ...wrong];
}

function problemOf(from: string, to: string, rooms: Rooms): string | undefined {
  if (!/^(src|web)\//.test(to)) return `imports ${to}, which does not ship`;
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (!isAllowed(folder, target, [...rooms.keys()])) return `${folder} may not import ${target} (${to})`;
  const [room, imported] = [roomOf(from), roomOf(to)];
  if (room === imported || !rooms.has(room) || rooms.get(room)?.has(imported)) return undefined;
  return `${room} imports ${imported}, which the table of ${PAGE} does not list`;
}

function isAllowed(folder: string, target: string, line: readonly string[]): boolean {
  if (doesIo(target) && !doesIo(folder)) return false;
  const [room, imported] = [folder, target].map(name => name.replace(/\/.*/, ''));
  if (room === imported) return true;
  if (LOADED_ANYWHERE.has(imported)) return false;
  // A folder without a row is reported separately.
  return !line.includes(room) || !line.includes(imported) || line.indexOf(imported) < line.indexOf(room);
}

/** Arrows of the table that are not there any more. */
export function unusedArrows(rooms: Rooms, arrows: readonly Arrow[]): string[] {
  const present = roomsOf(rooms, arrows);
  return Array.from(rooms).flatMap(([room, imports]) => {
    const unused = [...imports].filter(name => !present.get(room)?.has(name));
    return unused.map(name => `${PAGE}: ${room} no longer imports ${name}`);
  });
}
