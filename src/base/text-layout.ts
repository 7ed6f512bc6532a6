/** Text in the columns of a terminal: its width, wrapped lines and kubectl-like tables. */

const NONE = '<none>';

/** Columns of a terminal: two for East Asian wide characters and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += /\p{M}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

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

/** Upper-case headers, two spaces between columns, no trailing spaces, `<none>` for ''. */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): [header: string, ...lines: string[]] {
  const named = rows.map(row => row.map(cell => (cell === '' ? NONE : cell)));
  const widths = headers.map((header, column) =>
    named.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), displayWidth(header)),
  );
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column] - displayWidth(cell)))
      .join('  ')
      .trimEnd();
  return [lineOf(headers), ...named.map(lineOf)];
}

export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}
