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
import type { EvaluationTime } from '../detect/slow/decide.ts';
import { meanOf } from './contrast.ts';
import { layTarget, type Fleet, type GrowthBoard } from './growth-board.ts';
import type { StraightSums } from './slopes.ts';

export interface StraightQuestion {
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

/** Hours; what takes longer than the last cannot be told from a leak before it has settled. */
const CONSTANTS: readonly number[] = [1, 1.5, 2, 3, 4, 6, 8, 11, 16];
const LEAST_ROWS = 5;

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
  if (group.length < LEAST_ROWS || others.length < LEAST_ROWS) return undefined;
  const ofOthers = CONSTANTS.map((_, i) => others.map(sums => slopeOf(sums[i]).slope).filter(Number.isFinite));
  if (ofOthers.some(slopes => slopes.length < LEAST_ROWS)) return undefined;
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
