/** Least squares on a few columns, by the normal equations. */

export interface Fit {
  /** One per column. */
  readonly coefficients: readonly number[];
  /** The sum of the squares that are left. */
  readonly residual: number;
}

/** Undefined if the columns depend on each other. */
export function leastSquares(columns: readonly (readonly number[])[], values: readonly number[]): Fit | undefined {
  // Centred and scaled, so that hours since 1970 beside bytes keep their digits.
  const [, ...rest] = columns;
  const scaled = rest.map(standardised);
  if (scaled.some(one => one === undefined)) return undefined;
  const known = scaled.filter(one => one !== undefined);
  const middle = mean(values);
  const target = values.map(value => value - middle);
  const slopes = solve(
    known.map(({ column: a }) => known.map(({ column: b }) => dot(a, b))),
    known.map(({ column }) => dot(column, target)),
  );
  if (slopes === undefined) return undefined;
  let residual = 0;
  for (const [i, value] of target.entries()) {
    const fitted = known.reduce((sum, { column }, k) => sum + (slopes[k] ?? 0) * (column[i] ?? 0), 0);
    residual += (value - fitted) ** 2;
  }
  const unscaled = known.map(({ scale }, k) => (slopes[k] ?? 0) / scale);
  const start = known.reduce((sum, { centre }, k) => sum - centre * (unscaled[k] ?? 0), middle);
  return { coefficients: [start, ...unscaled], residual };
}

interface Standardised {
  readonly column: readonly number[];
  readonly centre: number;
  readonly scale: number;
}

/** Undefined for a column that never changes. */
function standardised(column: readonly number[]): Standardised | undefined {
  const centre = mean(column);
  const scale = Math.sqrt(mean(column.map(value => (value - centre) ** 2)));
  return scale > 0 ? { column: column.map(value => (value - centre) / scale), centre, scale } : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** Gauss with pivots; undefined if the matrix is singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | undefined {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const below = rows.slice(column).sort((a, b) => Math.abs(b[column] ?? 0) - Math.abs(a[column] ?? 0));
    rows.splice(column, size - column, ...below);
    const pivot = rows[column];
    const head = pivot?.[column] ?? 0;
    if (pivot === undefined || Math.abs(head) < 1e-9 * (matrix[0]?.[0] ?? 1)) return undefined;
    for (const [i, row] of rows.entries()) {
      if (i === column) continue;
      const factor = (row[column] ?? 0) / head;
      rows[i] = row.map((value, k) => value - factor * (pivot[k] ?? 0));
    }
  }
  return rows.map((row, i) => (row[size] ?? 0) / (row[i] ?? 1));
}
