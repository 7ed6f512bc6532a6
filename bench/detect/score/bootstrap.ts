/** 95 % intervals of the rates: nodes are resampled with replacement, since they, not evaluations, are independent. */
import { diceFrom } from '../simulate/dice.ts';
import { quantile, ratesOf, type Rates } from './summary.ts';
import type { NodeScore } from './tally.ts';

export type RateIntervals = Readonly<Record<keyof Rates, readonly [low: number, high: number]>>;

const ROUNDS = 1000;

export function bootstrap(scores: readonly NodeScore[]): RateIntervals {
  const dice = diceFrom(scores.length);
  const rounds = Array.from({ length: ROUNDS }, () => ratesOf(scores.map(() => dice.pick(scores))));
  const interval = (rate: keyof Rates): readonly [number, number] => {
    const sorted = rounds
      .map(round => round[rate])
      .filter(value => !Number.isNaN(value))
      .sort((a, b) => a - b);
    return [quantile(sorted, 0.025), quantile(sorted, 0.975)];
  };
  return {
    precision: interval('precision'),
    recall: interval('recall'),
    f1: interval('f1'),
    falseAlarmsPerYear: interval('falseAlarmsPerYear'),
    falseNodes: interval('falseNodes'),
  };
}
