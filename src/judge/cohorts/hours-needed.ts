/**
 * How long one more target must be observed to show the growth of a cohort by itself.
 *
 * The variance of a slope falls with the cube of the time (12 to 24 s^2 c / T^3 for noise that returns), so from the
 * spread of the controls over one window follows that over any other: T = W (k d(W) / rate)^(2/3), where k = 5.36 is a
 * chance of 1 in 10,000 with a power of 95 %.
 */
import { SKIP_HOURS, WINDOW_HOURS } from './windows.ts';
import type { JudgedCohort } from './judge-cohort.ts';

const ERRORS = 5.36;
const LEAST_HOURS = 6;

/** In hours of the detector, from the change on; NaN if the cohort was not compared. */
export function hoursForOne({ contrast, controls, window }: JudgedCohort): number {
  if (contrast === undefined || !(contrast.difference > 0)) return NaN;
  const error = contrast.controlDeviation * Math.sqrt(1 + 1 / controls.length);
  const hours = WINDOW_HOURS[window] * ((ERRORS * error) / contrast.difference) ** (2 / 3);
  return Math.max(LEAST_HOURS, hours) + SKIP_HOURS;
}
