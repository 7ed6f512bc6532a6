/**
 * A series as one line of characters: the higher the value, the higher the character.
 *
 *     ▁▁▂▃▄▅▆▇█        or, in ASCII:        ..:-=+*#@
 */

const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII = '.:-=+*#@';

/** A series that varies by less than this share of its highest value is drawn flat. */
const LEAST_RANGE = 0.1;

export interface SparklineOptions {
  readonly width: number;
  readonly ascii?: boolean;
}

/** Null means unknown and becomes a space. */
export function sparkline(values: readonly (number | null)[], { width, ascii = false }: SparklineOptions): string {
  const columns = resampled(values, Math.min(width, values.length));
  const known = columns.filter(value => value !== null);
  if (known.length === 0) return '';
  const levels = ascii ? ASCII : BLOCKS;
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  const range = Math.max(high - low, LEAST_RANGE * Math.max(Math.abs(high), Math.abs(low)));
  const draw = (value: number): string =>
    levels.charAt(range === 0 ? 0 : Math.min(levels.length - 1, Math.floor(((value - low) / range) * levels.length)));
  return columns.map(value => (value === null ? ' ' : draw(value))).join('');
}

/** The mean of the values in each column. */
function resampled(values: readonly (number | null)[], width: number): (number | null)[] {
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    const known = values.slice(from, to).filter(value => value !== null && Number.isFinite(value)) as number[];
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
