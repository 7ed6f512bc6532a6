/** `npm run bench:ages -- [DUMPS] [SEED]`: false and missed leaks in single dumps of simulated processes. */
import type { Verdict } from '../../src/judge/verdict.ts';
import { judgeDumps, type Judged } from './evaluate.ts';
import { isCalled, outlivesProcess, rateScore, scoresOf } from './score.ts';

const [dumps = 1000, seed = 1] = process.argv.slice(2).map(Number);
const judged = await judgeDumps(dumps, seed);
/** Goroutines. */
const LARGE = 100;
const percent = (part: number, all: number): string => `${((100 * part) / Math.max(all, 1)).toFixed(1)} %`;
const rows = scoresOf(judged).map(({ kind, isLeak, families, leak, watch }) =>
  [isLeak ? `leak, ${kind}` : kind, families, percent(leak, families), percent(watch, families)].join(' | '),
);
const isFalse = judged.filter(one => !one.population.isLeak && isCalled(one, 'leak'));
const healthy = judged.filter(({ population }) => !population.isLeak);
const leaks = judged.filter(({ population }) => population.isLeak);
const large = leaks.filter(({ population }) => population.alive.length >= LARGE);
const found = (all: readonly Judged[]): string => {
  const called = (verdict: Verdict): string => percent(all.filter(one => isCalled(one, verdict)).length, all.length);
  return `${called('leak')} leak, ${called('watch')} watch, of ${all.length}`;
};
const rates = rateScore(judged);
process.stdout.write(
  [
    'family | drawn | leak | watch',
    '--- | --: | --: | --:',
    ...rows,
    '',
    `false leaks: ${isFalse.length} of ${healthy.length}; without those that outlive the process: ` +
      `${isFalse.filter(one => !outlivesProcess(one)).length} of ${healthy.filter(one => !outlivesProcess(one)).length}`,
    `leaks: ${found(leaks)}; of ${LARGE} goroutines or more: ${found(large)}`,
    `rates: ${percent(rates.covered, rates.judged)} of ${rates.judged} intervals hold the true one; ` +
      `off by ${percent(rates.medianError, 1)} (median)`,
    '',
  ].join('\n'),
);
