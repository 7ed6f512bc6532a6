/** How a process reaches its level after a start: as a factor of that level, by its age. */
import type { Dice } from '../../simulate/dice.ts';

export interface WarmUp {
  readonly form: 'exponential' | 'linear' | 'two stages' | 'overshoot';
  /** Until it is within 5 % of its level. */
  readonly minutes: number;
  /** Its share at once; for an overshoot, the excess. */
  readonly startShare: number;
}

/** The length of the first stage, if there are two. */
const QUICK_MINUTES = 5;
const QUICK_SHARE = 0.6;
/** An exponential is within 5 % after three time constants. */
const TAUS = 3;

export function drawWarmUp(dice: Dice): WarmUp {
  const form = dice.pick<WarmUp['form']>(['exponential', 'exponential', 'linear', 'two stages', 'overshoot']);
  return {
    form,
    minutes: dice.logUniform(12, 360),
    startShare: form === 'overshoot' ? dice.uniform(1.2, 1.8) : dice.uniform(0.3, 0.8),
  };
}

export function spreadWarmUp(warmUp: WarmUp, dice: Dice): WarmUp {
  return { ...warmUp, minutes: warmUp.minutes * dice.around(0.2) };
}

export function warmth({ form, minutes, startShare }: WarmUp, ageMinutes: number): number {
  if (ageMinutes > 4 * minutes) return 1;
  const missing = 1 - startShare;
  switch (form) {
    case 'linear':
      return 1 - missing * Math.max(0, 1 - ageMinutes / minutes);
    case 'two stages': {
      const quick = QUICK_SHARE * Math.exp(-ageMinutes / QUICK_MINUTES);
      return 1 - missing * (quick + (1 - QUICK_SHARE) * Math.exp((-ageMinutes * TAUS) / minutes));
    }
    default:
      return 1 - missing * Math.exp((-ageMinutes * TAUS) / minutes);
  }
}
