/**
 * Whether growth goes on, or is that of something that settles: a cache, a longer warm-up, a node that fills again.
 *
 *     leak        ..../      warm-up     .---      leak after a warm-up   .--/
 *             ..../                    ./                               ./
 *
 * Either the second half of the window adds about as much as the first; or, since a leak may come with a longer
 * warm-up, most of the growth is left when anything that settles within hours is taken off.
 */
import type { EvaluationTime } from '../detect/slow/decide.ts';
import { studentTail } from '../trend/student-t.ts';
import { deviates } from './contrast.ts';
import type { Fleet, GrowthBoard } from './growth-board.ts';
import { straightGrowth, type StraightGrowth } from './straight-growth.ts';
import { COHORT_TUNING } from './tuning.ts';
import { WINDOW_HOURS } from './windows.ts';

export interface SteadyQuestion {
  readonly fleet: Fleet;
  readonly board: GrowthBoard;
  readonly moment: EvaluationTime;
  readonly window: number;
  readonly rows: readonly number[];
  /** When each of the rows got the value, or its present life began. */
  readonly originBins: readonly number[];
  readonly controls: readonly number[];
  readonly difference: number;
  /** Over the window. */
  readonly leastGrowth: number;
}

/** Each target has to be laid out again. */
const MOST_ROWS = 60;

export interface Steadiness {
  readonly isSteady: boolean;
  /** If something that settles was taken off: the growth that goes on. */
  readonly straight?: StraightGrowth;
}

export const UNSTEADY: Steadiness = { isSteady: false };

export function steadinessOf(question: SteadyQuestion): Steadiness {
  if (halvesAgree(question)) return { isSteady: true };
  const straight = straightPart(question);
  return straight === undefined ? UNSTEADY : { isSteady: true, straight };
}

function halvesAgree({ board, window, rows, controls }: SteadyQuestion): boolean {
  const { steadiness, steadyDeviates, steadyChance } = COHORT_TUNING;
  const turn = (row: number): number => board.late[window][row] - steadiness * board.early[window][row];
  const group = rows.map(turn).filter(isKnown);
  const others = controls.map(turn).filter(isKnown);
  if (group.length === 0 || others.length === 0) return false;
  return isSure(deviates(group, others), group.length, steadyDeviates, steadyChance);
}

/** Undefined if too little goes on, or nothing surely does. */
function straightPart(question: SteadyQuestion): StraightGrowth | undefined {
  const { window, rows, originBins, controls, difference, leastGrowth } = question;
  const { straightShare, straightDeviates, straightChance, youngFactor } = COHORT_TUNING;
  const windowHours = WINDOW_HOURS[window];
  const places = spreadOver(
    rows.map((_, i) => i),
    MOST_ROWS,
  );
  const found = straightGrowth({
    ...question,
    windowHours,
    rows: places.map(i => rows[i]),
    originBins: places.map(i => originBins[i]),
    controls: spreadOver(controls, MOST_ROWS),
  });
  if (found === undefined) return undefined;
  // What is left of a rise that bends must be large by itself.
  const least = Math.max((youngFactor * leastGrowth) / windowHours, straightShare * difference);
  const isEnough = found.slope >= least;
  return isEnough && isSure(found.slope / found.error, rows.length, straightDeviates, straightChance)
    ? found
    : undefined;
}

/** Few targets know their own spread badly: they need more than so many standard errors. */
function isSure(errors: number, targets: number, least: number, mostChance: number): boolean {
  return errors >= least && studentTail(errors, Math.max(1, targets - 1)) <= mostChance;
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

export function spreadOver(rows: readonly number[], most: number): readonly number[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]);
}
