/**
 * `npm run bench:ledger -- [SEED] [--wrong]`: how often a verdict of each certainty is right.
 *
 * `npm run bench:ledger -- --fit [FOLDER...]`: weights fitted on recordings of the zoo that rules are tuned on and on
 * simulated dumps, beside those that are chosen, and both on other data; folders of recordings are such, too.
 */
import { compareWeights } from './compare-weights.ts';
import { claimsOfDumps, claimsOfHistories } from './simulated.ts';
import { claimsOfRecordings } from './recordings.ts';
import { type Claim, reliabilityTable } from './claim.ts';

const DUMPS = 400;
const [first, ...rest] = process.argv.slice(2);
process.stdout.write(first === '--fit' ? await compareWeights(rest) : await reliability(Number(first ?? 2026)));

async function reliability(seed: number): Promise<string> {
  const [recordings, dumps] = [await claimsOfRecordings(), await claimsOfDumps(DUMPS, seed)];
  const sources: readonly (readonly [title: string, claims: readonly Claim[]])[] = [
    ['Recordings of real programs, whole and in parts', recordings],
    ['Families of simulated dumps', dumps],
    ['Simulated nodes after four weeks of metrics', claimsOfHistories(seed)],
  ];
  const tables = sources.map(
    ([title, claims]) => `${title}\n\n${claims.length === 0 ? 'not there' : reliabilityTable(claims)}\n\n`,
  );
  const wrong = sources
    .flatMap(([, claims]) => (rest.includes('--wrong') ? claims : []))
    .filter(({ leaks, verdict }) => (leaks ? verdict === 'healthy' : verdict === 'leak'));
  return [...tables, ...wrong.map(({ source, what, verdict }) => `${source}: ${what}: ${verdict}\n`)].join('');
}
