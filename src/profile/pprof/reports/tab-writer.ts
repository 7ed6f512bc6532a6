/**
 * Go's text/tabwriter with one blank of padding and right alignment.
 *
 * A cell is text that ends in a tab; text after the last tab of a line belongs to no column. A column is a run of
 * consecutive lines that have a cell there, and is as wide as its widest cell: it ends at a line with fewer cells.
 */
export function alignRight(lines: readonly string[]): string {
  const rows = lines.flatMap(line => line.split('\n')).map(line => line.split('\t'));
  const widths = columnWidths(rows);
  return rows.map((cells, row) => `${writeRow(cells, widths[row])}\n`).join('');
}

/** Per row, the widths of its columns. Column by column, not row by row: a hostile label may be all tabs. */
function columnWidths(rows: readonly string[][]): number[][] {
  const widths: number[][] = rows.map(() => []);
  let reaching = [...rows.keys()].filter(row => rows[row].length > 1);
  for (let column = 0; reaching.length > 0; column++) {
    for (let from = 0; from < reaching.length;) {
      let to = from;
      let width = 0;
      do width = Math.max(width, [...rows[reaching[to++]][column]].length + 1);
      while (reaching[to] === reaching[to - 1] + 1);
      for (; from < to; from++) widths[reaching[from]].push(width);
    }
    reaching = reaching.filter(row => rows[row].length > column + 2);
  }
  return widths;
}

function writeRow(cells: readonly string[], widths: readonly number[]): string {
  const aligned = widths.map((width, i) => ' '.repeat(width - [...cells[i]].length) + cells[i]);
  return aligned.join('') + cells[cells.length - 1];
}
