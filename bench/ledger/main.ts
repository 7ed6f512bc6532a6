/** `npm run bench:ledger -- [SEED] [--wrong]`: how often a verdict of each certainty is right. */
import { claimsOfDumps, claimsOfHistories } from './simulated.ts';
import { claimsOfRecordings } from './recordings.ts';
import { type Claim, reliabilityTable } from './claim.ts';

const DUMPS = 400;
const seed = Number(process.argv[2] ?? 2026);
const [recordings, dumps] = [await claimsOfRecordings(), await claimsOfDumps(DUMPS, seed)];
const histories = claimsOfHistories(seed);
const sources: readonly (readonly [title: string, claims: readonly Claim[]])[] = [
  ['Recordings of real programs, whole and in parts', recordings],
  ['Families of simulated dumps', dumps],
  ['Simulated nodes after four weeks of metrics', histories],
];
for (const [title, claims] of sources) {
  process.stdout.write(`${title}\n\n${claims.length === 0 ? 'not there' : reliabilityTable(claims)}\n\n`);
}
if (process.argv.includes('--wrong')) {
  const wrong = sources
    .flatMap(([, claims]) => claims)
    .filter(({ leaks, verdict }) => (leaks ? verdict === 'healthy' : verdict === 'leak'));
  for (const { source, what, verdict } of wrong) process.stdout.write(`${source}: ${what}: ${verdict}\n`);
}
