/**
 * Go's text/tabwriter with one blank of padding and right alignment.
 *
 * A cell is text that ends in a tab; what follows the last tab of a line belongs to no column. A column is a run of
 * consecutive lines that have a cell there, and is as wide as its widest cell: columns end where a line has fewer.
 */
export function alignRight(lines: readonly string[]): string {
  const rows = lines.flatMap(line => line.split('\n')).map(line => line.split('\t'));
  const out: string[] = [];
  format(rows, 0, rows.length, [], out);
  return out.map(line => `${line}\n`).join('');
}

/** Lays out rows[from, to) whose first `widths.length` columns are known. */
function format(rows: readonly string[][], from: number, to: number, widths: readonly number[], out: string[]): void {
  const column = widths.length;
  let at = from;
  while (at < to) {
    if (column >= rows[at].length - 1) {
      out.push(writeRow(rows[at], widths));
      at++;
      continue;
    }
    let end = at;
    let width = 0;
    for (; end < to && column < rows[end].length - 1; end++) {
      width = Math.max(width, [...rows[end][column]].length + 1);
    }
    format(rows, at, end, [...widths, width], out);
    at = end;
  }
}

function writeRow(cells: readonly string[], widths: readonly number[]): string {
  let line = '';
  cells.forEach((cell, i) => {
    if (i < cells.length - 1 && i < widths.length) line += ' '.repeat(widths[i] - [...cell].length) + cell;
    else line += cell;
  });
  return line;
}
