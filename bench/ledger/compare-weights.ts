/** Fitted weights beside the chosen ones, and what each says on data that neither was fitted on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ZOO_RECORDINGS } from '../../test/places.ts';
import { SHARED } from '../places.ts';
import { type Claim, reliabilityTable } from './claim.ts';
import { fitWeights, type FittedWeight, judgeWith, type Weights } from './fit-weights.ts';
import { type Labelled, labelledDumps, labelledZoo } from './labelled.ts';

const DUMPS = 400;
const TUNING_SEED = 31;
const OTHER_SEED = 2026;
/** Where fitted and chosen weights differ by less, nothing was learned. */
const SAME = 0.5;

export async function compareWeights(folders: readonly string[]): Promise<string> {
  if (!existsSync(ZOO_RECORDINGS)) return 'the recordings of the zoo are not unpacked; npm test -- test/zoo does so\n';
  const tuning = [await labelledZoo(ZOO_RECORDINGS), await labelledDumps(DUMPS, TUNING_SEED)];
  const others: readonly (readonly [title: string, all: readonly Labelled[]])[] = [
    ['processes of recordings', (await Promise.all([join(SHARED, 'zoo'), ...folders].map(labelledZoo))).flat()],
    ['families of simulated dumps', await labelledDumps(DUMPS, OTHER_SEED)],
  ];
  const fitted = fitWeights(tuning);
  const weights: readonly (readonly [name: string, weights: Weights])[] = [
    ['chosen', new Map()],
    ['fitted', new Map(fitted.map(one => [one.name, one.fitted]))],
  ];
  const lines = [tableOf(fitted), ''];
  for (const [title, all] of others) {
    for (const [name, of] of weights) {
      const claims = all.map((one): Claim => ({
        source: title,
        what: one.what,
        leaks: one.leaks,
        ...judgeWith(of, one),
      }));
      lines.push(`Other data, ${title}, ${name} weights: ${sayings(claims)}`, '', reliabilityTable(claims), '');
      for (const { what } of claims.filter(({ leaks, verdict }) => !leaks && verdict === 'leak')) {
        lines.push(`false leak: ${what}`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

function tableOf(fitted: readonly FittedWeight[]): string {
  const rows = fitted
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, chosen, fitted, ofLeaks, ofOthers }) => {
      const differs = Math.abs(chosen - fitted) >= SAME ? 'differs' : '';
      return [name.replace(/ [-\d.]+$/, ''), chosen, fitted.toFixed(1), ofLeaks, ofOthers, differs].join(' | ');
    });
  return ['observation | chosen | fitted | of leaks | of others |', '--- | --: | --: | --: | --: | ---', ...rows].join(
    '\n',
  );
}

function sayings(claims: readonly Claim[]): string {
  const count = (leaks: boolean, verdict: Claim['verdict']): number =>
    claims.filter(one => one.leaks === leaks && one.verdict === verdict).length;
  const of = (leaks: boolean): string =>
    (['leak', 'watch', 'unknown', 'healthy'] as const).map(verdict => `${count(leaks, verdict)} ${verdict}`).join(', ');
  const leaking = claims.filter(({ leaks }) => leaks).length;
  return `${leaking} leaks: ${of(true)}; ${claims.length - leaking} others: ${of(false)}`;
}
