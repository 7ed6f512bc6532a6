/**
 * The rate of growth that began within the window.
 *
 *     ____________/     the slope over the window is proof that it grows, but it mixes the flat hours with the others:
 *     |  window  |      what matters is the rate from the bend on
 */
import type { EvaluationTime } from '../detect/slow/decide.ts';
import { contrast, meanOf, type Contrast } from './contrast.ts';
import { type Fleet, layTarget, slopeOver } from './growth-board.ts';
import type { JudgedCohort } from './judge-cohort.ts';
import { spreadOver } from './steady.ts';
import { WINDOW_HOURS } from './windows.ts';

export interface PresentRate {
  /** The hour of the detector in which most of them had begun to grow. */
  readonly fromBin: number;
  readonly contrast: Contrast;
}

/** Each target has to be laid out again. */
const MOST_TARGETS = 60;
/** The second half of the window outgrows the first by this share of the slope; steady growth is not looked at again. */
const LEAST_TURN = 0.5;
/** By then this share of them had begun. */
const BEGUN_SHARE = 0.75;
/** A bend in the first part of the window changes little. */
const LEAST_LATER = 0.2;

/** Undefined if it grew all through the window, or if that cannot be told. */
export function presentRate(judged: JudgedCohort, fleet: Fleet, moment: EvaluationTime): PresentRate | undefined {
  const { board, window, contrast: whole, controls, straight } = judged;
  if (whole === undefined || straight !== undefined || judged.leakingRows.length === 0) return undefined;
  const rows = spreadOver(judged.leakingRows, MOST_TARGETS);
  const turns = rows.map(row => board.late[window][row] - board.early[window][row]).filter(turn => !Number.isNaN(turn));
  if (turns.length === 0 || meanOf(turns) < LEAST_TURN * whole.difference) return undefined;

  const { endBin } = moment;
  const length = WINDOW_HOURS[window];
  const bends = rows.flatMap(row => {
    const bend = layTarget(fleet[row], board.rule, moment)?.bend();
    return bend === undefined ? [] : [bend.isFirstHour ? -Infinity : bend.bin];
  });
  const begun = bends.sort((a, b) => a - b)[Math.ceil(BEGUN_SHARE * bends.length) - 1];
  if (begun === undefined || begun < endBin - length + LEAST_LATER * length) return undefined;
  const fromBin = Math.min(begun, endBin - WINDOW_HOURS[0]);
  const slopes = (which: readonly number[]): number[] =>
    which.map(row => slopeOver(fleet[row], board.rule, moment, fromBin, endBin)).filter(slope => !Number.isNaN(slope));
  const [grown, others] = [slopes(rows), slopes(spreadOver(controls, MOST_TARGETS))];
  if (2 * grown.length < rows.length || others.length === 0) return undefined;
  const present = contrast(grown, others);
  return present.difference > whole.difference ? { fromBin, contrast: present } : undefined;
}
