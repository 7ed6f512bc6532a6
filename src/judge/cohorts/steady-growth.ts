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
import { studentTail } from '../growth/student-t.ts';
import { deviates, meanOf } from './contrast.ts';
import { type Fleet, type GrowthBoard, layTarget } from './growth-board.ts';
import { COHORT_TUNING, WINDOW_HOURS } from './cohort-tuning.ts';
import type { StraightSums } from './slopes.ts';

/** Hours; what takes longer than the last cannot be told from a leak before it has settled. */
const CONSTANTS: readonly number[] = [1, 1.5, 2, 3, 4, 6, 8, 11, 16];

const MIN_ROWS = 5;

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
const MAX_ROWS = 60;

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
    MAX_ROWS,
  );
  const found = straightGrowth({
    ...question,
    windowHours,
    rows: places.map(i => rows[i]),
    originBins: places.map(i => originBins[i]),
    controls: spreadOver(controls, MAX_ROWS),
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

/**
 * What of the growth of a cohort goes straight on, when something that settles comes on top: a leak after a warm-up.
 *
 *     y = a (own of each target) + b t + c e^(-t / tau)        b, c and tau common to the cohort
 *
 * The targets of a cohort run the same code, so what settles does so alike on all of them, and together they show its
 * time constant long before one of them could. The error of b is that of leaving out one target after another
 * (jackknife): the hours of a target are correlated, targets are not; and where the constant is in doubt, b varies
 * with it.
 */
interface StraightQuestion {
  readonly fleet: Fleet;
  readonly board: GrowthBoard;
  readonly moment: EvaluationTime;
  readonly windowHours: number;
  readonly rows: readonly number[];
  /** When what settles began on each of the rows. */
  readonly originBins: readonly number[];
  readonly controls: readonly number[];
}

export interface StraightGrowth {
  /** Beyond that of the controls, per hour of the detector. */
  readonly slope: number;
  readonly error: number;
}

/** Undefined with too few targets or hours. */
export function straightGrowth(question: StraightQuestion): StraightGrowth | undefined {
  const { rows, originBins, controls, moment } = question;
  const origins = new Map(rows.map((row, i) => [row, originBins[i]]));
  const sumsOf = (which: readonly number[]): StraightSums[][] =>
    which.flatMap(row => {
      const laid = layTarget(question.fleet[row], question.board.rule, moment);
      const origin = origins.get(row) ?? moment.endBin - question.windowHours;
      const sums = CONSTANTS.map(hours =>
        laid?.straightSums(moment.endBin - question.windowHours, moment.endBin, hours, origin),
      );
      return sums.every(one => one !== undefined) ? [sums] : [];
    });
  const group = sumsOf(rows);
  const others = sumsOf(controls);
  if (group.length < MIN_ROWS || others.length < MIN_ROWS) return undefined;
  const ofOthers = CONSTANTS.map((_, i) => others.map(sums => slopeOf(sums[i]).slope).filter(Number.isFinite));
  if (ofOthers.some(slopes => slopes.length < MIN_ROWS)) return undefined;
  const usual = ofOthers.map(meanOf);
  const total = CONSTANTS.map((_, i) => group.map(sums => sums[i]).reduce(plus));
  const beyond = (without: readonly StraightSums[] | undefined): { readonly at: number; readonly slope: number } => {
    let best = { at: 0, slope: NaN, rest: Infinity };
    total.forEach((all, i) => {
      const { slope, rest } = slopeOf(without === undefined ? all : minus(all, without[i]));
      if (rest < best.rest) best = { at: i, slope: slope - usual[i], rest };
    });
    return best;
  };
  const { at, slope } = beyond(undefined);
  const left = group.map(sums => beyond(sums).slope);
  const middle = meanOf(left);
  const n = left.length;
  const ownVariance = ((n - 1) / n) * left.reduce((sum, one) => sum + (one - middle) ** 2, 0);
  const theirs = ofOthers[at];
  const spread = theirs.reduce((sum, one) => sum + (one - usual[at]) ** 2, 0) / (theirs.length - 1);
  return { slope, error: Math.sqrt(ownVariance + spread / theirs.length) };
}

function slopeOf({ tt, ee, te, ty, ey, yy }: StraightSums): { readonly slope: number; readonly rest: number } {
  const determinant = tt * ee - te * te;
  if (!(determinant > 1e-9 * tt * ee)) return { slope: NaN, rest: Infinity };
  const slope = (ty * ee - ey * te) / determinant;
  const settles = (ey * tt - ty * te) / determinant;
  return { slope, rest: yy - slope * ty - settles * ey };
}

function plus(a: StraightSums, b: StraightSums): StraightSums {
  return combined(a, b, 1);
}

function minus(a: StraightSums, b: StraightSums): StraightSums {
  return combined(a, b, -1);
}

function combined(a: StraightSums, b: StraightSums, sign: 1 | -1): StraightSums {
  return {
    tt: a.tt + sign * b.tt,
    ee: a.ee + sign * b.ee,
    te: a.te + sign * b.te,
    ty: a.ty + sign * b.ty,
    ey: a.ey + sign * b.ey,
    yy: a.yy + sign * b.yy,
  };
}
