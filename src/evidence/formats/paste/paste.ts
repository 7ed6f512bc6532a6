/**
 * What a person pasted: stacks, tables of functions and numbers, in the order in which they stand, and the text around
 * them.
 *
 *     Before the test:                       prose
 *     ```
 *     goroutine profile: total 310           stacks, line 3
 *     ...
 *     ```
 *     and an hour later RES was 13.1g        prose, and a level
 *
 * Each line is tried by the readers of stacks, tables of functions, tables of numbers and single numbers, in this order.
 */
import { type FunctionTable, readFunctionTable } from './function-table.ts';
import type { Level } from './level.ts';
import { readLevelLines } from './level-lines.ts';
import { readLevelTable } from './level-tables.ts';
import { PART_PASTED, partOf, readStackText, type StackText } from './stack-text.ts';
import { unwrapText } from './unwrap.ts';

export type Piece = StackText | FunctionTable | Level;

export interface Paste {
  readonly pieces: readonly Piece[];
  /** What is not evidence, as far as it says which program it is about. */
  readonly prose: string;
  readonly notes: readonly string[];
}

/** More prose than this says nothing new about the program. */
const MAX_PROSE = 64 * 1024;
/** More numbers than these are counted and left out. */
const MAX_LEVELS = 100_000;

export function readPaste(text: string): Paste {
  const lines = unwrapText(text);
  const pieces: Piece[] = [];
  const notes: string[] = [];
  const prose: string[] = [];
  let [proseSize, levelCount, leftOut] = [0, 0, 0];
  /** What stands between the last piece of stacks and the line. */
  let between = '';
  for (let at = 0; at < lines.length;) {
    const stacks = readStackText(lines, at);
    if (stacks !== undefined) {
      addStacks(pieces, stacks.piece, between);
      between = '';
      at = stacks.next;
      continue;
    }
    const table = readFunctionTable(lines, at);
    if (table !== undefined) {
      addTable(pieces, table.piece);
      at = table.next;
      continue;
    }
    const numbers = readLevelTable(lines, at) ?? readLevelLines(lines, at);
    if (numbers !== undefined) {
      const room = Math.max(0, MAX_LEVELS - levelCount);
      pieces.push(...numbers.levels.slice(0, room));
      levelCount += numbers.levels.length;
      leftOut += Math.max(0, numbers.levels.length - room);
      notes.push(...numbers.notes);
    }
    const next = numbers?.next ?? at + 1;
    for (const { text: line } of lines.slice(at, next)) {
      if (proseSize < MAX_PROSE && line !== '') {
        prose.push(line.slice(0, 2000));
        proseSize += Math.min(line.length, 2000) + 1;
      }
      if (between.length < 2000) between += `${line}\n`;
    }
    at = next;
  }
  if (leftOut > 0) notes.push(`only the first ${MAX_LEVELS} numbers were read, ${leftOut} more were left out`);
  return { pieces, prose: prose.join('\n'), notes };
}

const LATER =
  /\b(?:before|after|later|then|now|again|initially|at (?:the )?(?:start|beginning|end)|first|second|finally|minutes|hours?|days?|another|next)\b/i;

/** Stacks of one dump may be pasted in several blocks; a second dump is one of its own. */
function addStacks(pieces: Piece[], piece: StackText, between: string): void {
  const index = pieces.findLastIndex(one => one.kind === 'stacks' && one.format === piece.format);
  const last = pieces[index];
  if (last?.kind !== 'stacks' || LATER.test(between) || !areParts(last, piece)) {
    pieces.push(piece);
    return;
  }
  const notes = [...new Set([...last.notes, ...piece.notes])];
  const text = joined(last, piece);
  pieces[index] = { ...last, text, notes: notes.flatMap(note => (isPart(note) ? partNote(text) : [note])) };
}

function isPart(note: string): boolean {
  return note.endsWith(PART_PASTED);
}

/** What the blocks of one profile hold together. */
function partNote(text: string): string[] {
  const total = Number(/^\w+ profile: total (\d+)/.exec(text)?.[1] ?? 0);
  const shown = Array.from(text.matchAll(/^(\d+) @/gm), ([, count]) => Number(count)).reduce((a, b) => a + b, 0);
  return shown < total ? [partOf(shown, total)] : [];
}

function areParts(last: StackText, piece: StackText): boolean {
  if (piece.format === 'heap-text') return false;
  // A title begins a profile; rows without one go on.
  if (piece.format === 'debug1') return piece.notes.some(note => note.startsWith('the line with the total'));
  const ids = idsOf(last.text);
  return !idsOf(piece.text).some(id => id !== '0' && ids.includes(id));
}

function idsOf(text: string): string[] {
  return Array.from(text.matchAll(/^goroutine (\d+)/gm), ([, id]) => id);
}

function joined(last: StackText, piece: StackText): string {
  if (piece.format === 'debug2') {
    // Stacks without a header have no number.
    const free = String(Math.max(0, ...idsOf(last.text).map(Number)) + 1);
    return `${last.text}\n${piece.text.replace(/^goroutine 0 /, `goroutine ${free} `)}`;
  }
  const [title = '', ...rows] = piece.text.split('\n');
  const [ownTitle = '', ...ownRows] = last.text.split('\n');
  const total = Number(/\d+$/.exec(title)?.[0] ?? 0);
  const own = Number(/\d+$/.exec(ownTitle)?.[0] ?? 0);
  const shown = ownRows.reduce((sum, row) => sum + Number(/^(\d+) @/.exec(row)?.[1] ?? 0), 0);
  // A title counts all of them; where it is missing, what was pasted is all that is known.
  return [ownTitle.replace(/\d+$/, String(Math.max(own, shown + total))), ...ownRows, ...rows].join('\n');
}

/** The fields of a session may stand in one block and its rows in the next. */
function addTable(pieces: Piece[], piece: FunctionTable): void {
  const last = pieces[pieces.length - 1];
  if (last?.kind === 'functions' && last.rows.length === 0 && piece.binary === '' && piece.sampleType === '') {
    pieces[pieces.length - 1] = {
      ...piece,
      binary: last.binary,
      sampleType: last.sampleType,
      time: last.time,
      total: piece.total ?? last.total,
      line: last.line,
    };
    return;
  }
  pieces.push(piece);
}

/**
 * Whether a text may hold more than a file that a tool wrote: fences, quotes, tables, prompts, frames without `#`, or
 * several profiles one after the other.
 */
export function looksPasted(head: string): boolean {
  if (/^\s{0,8}(?:```|~~~|> |\|)/m.test(head)) return true;
  if (/^(?!#)\s*0x[0-9a-f]+\s+\S+\+0x/m.test(head)) return true;
  if (/^(?:\s*#\s+|\s+)0x[0-9a-f]+ +\S/m.test(head)) return true;
  if (/&(?:lt|gt|amp|quot|#\d+);|[\u00a0\u2018-\u201d]/.test(head)) return true;
  if (/^(?:\[[^\]\n]{1,80}\]|\S{0,80})[$#%>] ?(?:curl|go tool|kubectl|cat|kill|ps|top|oakum)\b/m.test(head))
    return true;
  // Places that lost their tab.
  if (/^ *\/\S+\.go:\d+ \+0x/m.test(head)) return true;
  return (head.match(/^(?:[a-z]+ profile: total|heap profile: ) ?\d/gm)?.length ?? 0) > 1;
}
