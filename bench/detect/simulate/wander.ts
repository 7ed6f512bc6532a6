/**
 * A level that wanders and returns: the sum of mean-reverting walks, one per time constant. Constants a factor of four
 * apart, with equal shares, add up to nearly the 1/f spectrum of real machines.
 */
import type { Dice } from './dice.ts';

export interface WanderTraits {
  /** Standard deviation, as a share of the level. */
  readonly share: number;
  readonly tausHours: readonly number[];
}

/** The share of the level to add, one step later. */
export type Wander = () => number;

export function wanderOf({ share, tausHours }: WanderTraits, stepHours: number, dice: Dice): Wander {
  const each = share / Math.sqrt(tausHours.length);
  const states = tausHours.map(() => each * dice.normal());
  const kept = tausHours.map(tau => Math.exp(-stepHours / tau));
  const kicks = kept.map(share => each * Math.sqrt(1 - share * share));
  return () => {
    let sum = 0;
    for (let i = 0; i < states.length; i++) {
      states[i] = states[i] * kept[i] + kicks[i] * dice.normal();
      sum += states[i];
    }
    return sum;
  };
}
