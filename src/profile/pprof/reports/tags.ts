/** -tags: every label key, and how much of the profile has each of its values. */
import { compareText } from '../../../base/text.ts';
import { descending } from '../graph.ts';
import { percentage, scaledLabel } from '../measurement.ts';
import { formatValue, type ReportContext } from './report-context.ts';

export function tagsReport(context: ReportContext): string {
  const { profile, weights, total, config, labelUnits } = context;
  const { samples, strings } = profile;
  const { labels } = samples;
  const keys = new Map<string, { total: bigint; values: Map<string, bigint> }>();
  for (let sample = 0; sample < samples.length; sample++) {
    const value = BigInt(weights.value[sample]);
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const key = strings[labels.key[row]];
      const text =
        labels.str[row] !== 0
          ? strings[labels.str[row]]
          : scaledLabel(labels.num[row], labelUnits.get(key) ?? '', config.unit);
      let entry = keys.get(key);
      if (entry === undefined) keys.set(key, (entry = { total: 0n, values: new Map() }));
      entry.values.set(text, BigInt.asIntN(64, (entry.values.get(text) ?? 0n) + value));
      entry.total = BigInt.asIntN(64, entry.total + value);
    }
  }

  const print = (value: bigint): string => formatValue(context, value, config.unit);
  const share = (value: bigint): string => (total > 0n ? ` (${percentage(value, total)})` : '');
  const lines: string[] = [];
  for (const [key, entry] of [...keys].sort(([a], [b]) => compareText(a, b))) {
    lines.push(`${key}:\t Total ${print(entry.total)} of ${print(total)}${share(entry.total)}`);
    const sorted = [...entry.values].sort(([a, x], [b, y]) => descending(x, y) || compareText(a, b));
    for (const [text, value] of sorted) lines.push(` \t${print(value)}${share(value)}:\t ${text}`);
    lines.push('');
  }
  return alignRight(lines);
}

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
