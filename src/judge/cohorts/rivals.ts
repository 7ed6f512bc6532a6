/**
 * Two values that both seem to leak: which of them explains the other?
 *
 *                     has B          lacks B
 *     has A           grows          grows     \  the targets that have one without the other decide
 *     lacks A         does not       (base)    /
 *
 * If there are none, the two cannot be told apart.
 */
import { controlsOf } from './cohort.ts';
import { median } from './contrast.ts';
import { rowsIn, type CohortSetting, type JudgedCohort } from './judge-cohort.ts';
import { WINDOW_HOURS } from './windows.ts';

export type Rivalry =
  | 'first' // the first explains the second
  | 'second'
  | 'alias'
  | 'together' // only targets that have both grow
  | 'apart'; // each grows without the other

type Cell = 'empty' | 'grows' | 'flat' | 'unsure';

export function compareRivals(a: JudgedCohort, b: JudgedCohort, setting: CohortSetting): Rivalry {
  const window = Math.min(a.window, b.window);
  // Without a window, both rest on targets that were proved by themselves.
  const valueOf = (row: number): number =>
    window < 0 ? Number(setting.provedRows.has(row)) : setting.board.slope[window][row];
  const inA = membership(a, setting, window);
  const inB = membership(b, setting, window);
  const cells = { both: [] as number[], a: [] as number[], b: [] as number[], neither: [] as number[] };
  for (const [row, has] of inA) {
    const other = inB.get(row);
    if (other === undefined || Number.isNaN(valueOf(row))) continue;
    cells[has ? (other ? 'both' : 'a') : other ? 'b' : 'neither'].push(valueOf(row));
  }
  if (cells.both.length === 0) return 'apart';
  const base = cells.neither.length > 0 ? median(cells.neither) : (a.contrast?.controlMean ?? 0);
  const half = (base + median(cells.both)) / 2;
  const deviation = Math.max(a.contrast?.controlDeviation ?? 0, b.contrast?.controlDeviation ?? 0);
  const stateOf = (cell: readonly number[]): Cell => {
    if (cell.length === 0) return 'empty';
    const distance = median(cell) - half;
    if (Math.abs(distance) < deviation / Math.sqrt(cell.length)) return 'unsure';
    return distance > 0 ? 'grows' : 'flat';
  };
  return decide(stateOf(cells.a), stateOf(cells.b));
}

function decide(onlyA: Cell, onlyB: Cell): Rivalry {
  if (onlyA === onlyB) return onlyA === 'grows' ? 'apart' : onlyA === 'flat' ? 'together' : 'alias';
  // Growth without the other speaks for a value, no growth without the other against it.
  const weight: Readonly<Record<Cell, number>> = { grows: 2, empty: 1, unsure: 1, flat: 0 };
  if (weight[onlyA] === weight[onlyB]) return 'alias';
  return weight[onlyA] > weight[onlyB] ? 'first' : 'second';
}

/** Rows that clearly have it or clearly lack it all through the window. */
function membership({ column, cohort }: JudgedCohort, setting: CohortSetting, window: number): Map<number, boolean> {
  const rows = new Map<number, boolean>();
  for (const row of controlsOf(column, cohort.value, setting.moment.endBin - WINDOW_HOURS[window]))
    rows.set(row, false);
  for (const row of rowsIn(cohort, setting, window)) rows.set(row, true);
  return rows;
}
