/** Which of the suspected values of one resource are to blame, and how the others relate to them. */
import type { CohortAlternative } from './cohort-model.ts';
import { type CohortSetting, type JudgedCohort, rowsIn } from './judge-cohort.ts';
import { controlsOf } from './cohort.ts';
import { median } from './contrast.ts';
import { WINDOW_HOURS } from './cohort-tuning.ts';

export interface Settled {
  /** False if another value explains it, or stands for it as its alias. */
  readonly isBlamed: boolean;
  readonly alternatives: readonly { readonly other: JudgedCohort; readonly relation: CohortAlternative['relation'] }[];
}

/** More suspects than this are compared with the strongest ones alone. */
const MAX_RIVALS = 40;

export function settleRivals(
  suspects: readonly JudgedCohort[],
  setting: CohortSetting,
): ReadonlyMap<JudgedCohort, Settled> {
  const ordered = [...suspects].sort(byRank);
  const strongest = ordered.slice(0, MAX_RIVALS);
  const alternatives = new Map(ordered.map(one => [one, [] as Settled['alternatives'][number][]]));
  const beaten = new Set<JudgedCohort>();
  const note = (one: JudgedCohort, other: JudgedCohort, relation: CohortAlternative['relation']): void =>
    void alternatives.get(one)?.push({ other, relation });
  strongest.forEach((a, i) => {
    for (const b of ordered.slice(i + 1)) {
      if (a.column === b.column) continue;
      const rivalry = compareRivals(a, b, setting);
      if (rivalry === 'apart') continue;
      if (rivalry === 'alias' || rivalry === 'together') {
        // The order decides which of the two stands for both.
        beaten.add(b);
        note(a, b, rivalry);
        note(b, a, rivalry);
        continue;
      }
      const [better, worse] = rivalry === 'first' ? [a, b] : [b, a];
      beaten.add(worse);
      note(better, worse, 'explains');
      note(worse, better, 'explained');
    }
  });
  return new Map(ordered.map(one => [one, { isBlamed: !beaten.has(one), alternatives: alternatives.get(one) ?? [] }]));
}

/**
 * What changed comes before what always was, versions before what depends on them, then the surer one. The hash of a
 * configuration comes last: it changes with every setting, and names none.
 */
function byRank(a: JudgedCohort, b: JudgedCohort): number {
  return (
    Number(hasChanged(b)) - Number(hasChanged(a)) ||
    Number(isVersion(b)) - Number(isVersion(a)) ||
    Number(isHash(a)) - Number(isHash(b)) ||
    a.chance - b.chance ||
    (a.cohort.attribute < b.cohort.attribute ? -1 : 1)
  );
}

function hasChanged({ cohort }: JudgedCohort): boolean {
  return cohort.sinceBins.some(since => since !== -Infinity);
}

function isVersion({ cohort }: JudgedCohort): boolean {
  return cohort.attribute === 'version';
}

function isHash({ cohort }: JudgedCohort): boolean {
  return cohort.attribute === 'config';
}

/**
 * Two values that both seem to leak: which of them explains the other?
 *
 *                     has B          lacks B
 *     has A           grows          grows     \  the targets that have one without the other decide
 *     lacks A         does not       (base)    /
 *
 * If there are none, the two cannot be told apart.
 */
type Rivalry =
  | 'first' // the first explains the second
  | 'second'
  | 'alias'
  | 'together' // only targets that have both grow
  | 'apart'; // each grows without the other

type Cell = 'empty' | 'grows' | 'flat' | 'unsure';

function compareRivals(a: JudgedCohort, b: JudgedCohort, setting: CohortSetting): Rivalry {
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
