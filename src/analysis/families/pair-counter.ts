/** Sums by a pair of small integers: a flat array while that is small, a map when it would not be. */

const MAX_CELLS = 1 << 20;

export class PairCounter {
  private readonly rows: number;
  private readonly columns: number;
  private readonly cells: Float64Array | undefined;
  private readonly sparse = new Map<number, number>();

  /** `rows` and `columns` bound the integers from above. */
  constructor(rows: number, columns: number) {
    this.rows = rows;
    this.columns = Math.max(columns, 1);
    this.cells = rows * this.columns <= MAX_CELLS ? new Float64Array(rows * this.columns) : undefined;
  }

  add(row: number, column: number, count: number): void {
    const at = row * this.columns + column;
    if (this.cells !== undefined) this.cells[at] += count;
    else this.sparse.set(at, (this.sparse.get(at) ?? 0) + count);
  }

  /** By row, the columns with a sum other than zero; columns ascend. */
  perRow(): [column: number, sum: number][][] {
    const out: [number, number][][] = Array.from({ length: this.rows }, () => []);
    if (this.cells !== undefined) {
      for (let at = 0; at < this.cells.length; at++) {
        if (this.cells[at] !== 0) out[Math.floor(at / this.columns)].push([at % this.columns, this.cells[at]]);
      }
      return out;
    }
    for (const at of Float64Array.from(this.sparse.keys()).sort()) {
      out[Math.floor(at / this.columns)].push([at % this.columns, this.sparse.get(at)!]);
    }
    return out;
  }
}
