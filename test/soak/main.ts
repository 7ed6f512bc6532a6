/**
 * `npm run soak`: what takes too long for `npm test`.
 *
 *     npm run soak -- --kills 50      kills a process that writes to a store, and looks what is left
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killStores } from './kill-store.ts';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '50' } } });
const log = (line: string): void => void process.stdout.write(`${line}\n`);

if (!(await runKills(Number(values.kills)))) process.exitCode = 1;

async function runKills(kills: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-kills-'));
  const { batches, captures, problems } = await killStores({ kills, folder, log });
  for (const problem of problems) log(`  ${problem}`);
  log(`${kills} kills, ${batches} batches and ${captures} captures committed, ${problems.length} problems`);
  if (problems.length > 0) log(`what is left is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  return problems.length === 0;
}
