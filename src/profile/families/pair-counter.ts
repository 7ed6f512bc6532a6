/** Sums by pairs of small integers, in a flat array or, if that would be too large, in a map. */

const MAX_CELLS = 1 << 20;

export class PairCounter {
  private readonly columns: number;
  private readonly cells: Float64Array | undefined;
  private readonly sparse = new Map<number, number>();
  private sorted: Float64Array | undefined;

  /** `rows` and `columns` are exclusive upper bounds. */
  constructor(rows: number, columns: number) {
    this.columns = Math.max(columns, 1);
    this.cells = rows * this.columns <= MAX_CELLS ? new Float64Array(rows * this.columns) : undefined;
  }

  add(row: number, column: number, count: number): void {
    const at = row * this.columns + column;
    if (this.cells !== undefined) this.cells[at] += count;
    else this.sparse.set(at, (this.sparse.get(at) ?? 0) + count);
  }

  /** The columns of a row with a nonzero sum, ascending. Call it after everything is added. */
  entries(row: number): [column: number, sum: number][] {
    const out: [number, number][] = [];
    const from = row * this.columns;
    if (this.cells !== undefined) {
      for (let column = 0; column < this.columns; column++) {
        if (this.cells[from + column] !== 0) out.push([column, this.cells[from + column]]);
      }
      return out;
    }
    this.sorted ??= Float64Array.from(this.sparse.keys()).sort();
    for (let i = lowerBound(this.sorted, from); i < this.sorted.length && this.sorted[i] < from + this.columns; i++) {
      const sum = this.sparse.get(this.sorted[i])!;
      if (sum !== 0) out.push([this.sorted[i] - from, sum]);
    }
    return out;
  }
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
