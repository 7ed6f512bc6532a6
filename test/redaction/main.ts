/**
 * `npm run redaction`: plants secrets of 30 kinds in every kind of member, and looks for them in bundles and reports.
 *
 *     npm run redaction -- --secrets 5000 --seed 7
 */
import { parseArgs } from 'node:util';
import { checkPile } from './check-pile.ts';
import { goTool } from './go-tool.ts';
import { plantedPile } from './planted-pile.ts';
import { SECRET_KINDS } from './secrets.ts';

const { values } = parseArgs({
  options: { secrets: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const log = (line: string): void => void process.stdout.write(`${line}\n`);
const go = goTool();
if (go === undefined) log('no go here: the profiles are not opened in go tool pprof');
let [planted, leaks, problems] = [0, 0, 0];
for (let seed = Number(values.seed); planted < Number(values.secrets); seed++) {
  const pile = plantedPile(seed);
  const found = await checkPile(pile, { go });
  planted += pile.secrets.length;
  leaks += found.leaks.length;
  problems += found.problems.length;
  for (const line of [...found.leaks, ...found.problems]) log(`  ${line}`);
  log(`seed ${seed}: ${pile.secrets.length} secrets in ${pile.files.size} files, ${found.leaks.length} found`);
}
log(`${planted} secrets of ${SECRET_KINDS.length} kinds planted, ${leaks} found; ${problems} other problems`);
if (leaks + problems > 0) process.exitCode = 1;
