/** Lines of a terminal: wrapped paragraphs, named lines and kubectl-like tables. */
import { NONE } from './quantities.ts';
import { displayWidth } from './visible-text.ts';

export const MIN_WIDTH = 40;

/** Breaks at spaces; a word that is too long stays whole, so that names and commands can be copied. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(joined) > width) {
      lines.push(line);
      line = word;
    } else line = joined;
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/** `name  text`, wrapped under the text; further texts stand under the first. Items with `- ` hang. */
export function named(name: string, texts: readonly string[], at: Place): string[] {
  const pad = ' '.repeat(at.indent);
  const column = at.indent + at.nameWidth;
  const room = Math.max(MIN_WIDTH, at.width) - column;
  const lines = texts.flatMap(text => (text.startsWith('- ') ? hanging(text.slice(2), room) : wrap(text, room)));
  return lines.map((line, i) => (i === 0 ? `${pad}${name.padEnd(at.nameWidth)}${line}` : ' '.repeat(column) + line));
}

function hanging(text: string, width: number): string[] {
  return wrap(text, width - 2).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
}

/** Where named lines stand. */
export interface Place {
  readonly indent: number;
  readonly nameWidth: number;
  readonly width: number;
}

/** Upper-case headers, two spaces between columns, no trailing spaces, `<none>` for ''. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [headers, ...rows.map(row => row.map(cell => (cell === '' ? NONE : cell)))];
  const widths = headers.map((_, column) =>
    cells.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  );
  return cells.map(row =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column] - displayWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}
