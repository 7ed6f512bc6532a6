/**
 * npm run e2e:act [-- --only WORD]... [--keep]
 *
 * Plans, applies and verifies on a real control plane with real kubelets (lab/), as a user would, with faults: budgets
 * that refuse, nodes that change, locks that are lost, kill -9, an API server that dies, rights that are missing. Takes
 * about 25 minutes. Exits 1 if anything failed. The lab is shut down at the end in any case, except with --keep.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLab, stopLab } from '../../../lab/control.ts';
import { environmentOf } from '../../../lab/environment.ts';
import { LabError } from '../../../lab/lab-error.ts';
import { type CheckContext, type CheckResult, runCheck } from '../check.ts';
import { install } from '../installation.ts';
import { type ActCheck, type Acting, acting } from './acting.ts';
import { contractChecks } from './contract.ts';
import { cureChecks, leakCheck } from './cures.ts';
import { drainChecks } from './drains.ts';
import { faultChecks, serverCheck } from './faults.ts';
import { killChecks } from './kills.ts';
import { podChecks } from './pods.ts';
import { rightsChecks } from './rights.ts';
import { prometheusCheck, WATCH_CHECKS, startLabWatch, watchChecks } from './watch.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(dirname(HERE)));
const LIFETIME_MINUTES = 60;
const NAME_WIDTH = 44;
const SAID_WIDTH = 150;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
  });
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) return 1;
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-act-'));
  const labFolder = join(folder, 'lab');
  const cleanUp = async (): Promise<void> => {
    if (values.keep) return say(`kept: ${folder}`);
    await stopLab(labFolder);
    rmSync(folder, { recursive: true, force: true });
  };
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stopped.abort();
      say('stopped; the checks under way do not count');
      void cleanUp().finally(() => process.exit(130));
    });
  }
  try {
    const nodesFile = join(HERE, 'nodes.json');
    const lab = await startLab({ folder: labFolder, nodesFile, lifetimeMinutes: LIFETIME_MINUTES, say });
    const environment = environmentOf(lab);
    const context: CheckContext = { ...install(ROOT, folder, environment.kubectl), lab, environment };
    const all = acting(context, ROOT);
    const rules = await all.oakum(['access', '--for', 'act'], { kubeconfig: environment.kubeconfigs['admin'] });
    if (rules.code !== 0) throw new Error(`oakum access: ${rules.err}`);
    await all.kubectl('create', 'namespace', 'oakum');
    const isWanted = ({ name }: ActCheck): boolean =>
      values.only.length === 0 || values.only.some(word => name.includes(word));
    const results = await runAll(all, isWanted, stopped.signal);
    return results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    say(error.message);
    return 3;
  } finally {
    await cleanUp();
  }
}

async function runAll(
  lab: Acting,
  isWanted: (check: ActCheck) => boolean,
  stopped: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const one = async (check: ActCheck): Promise<void> => {
    const result = await runCheck({ name: check.name, run: () => check.run(lab) }, lab);
    // Without its lab, every check fails.
    if (stopped.aborted) return;
    results.push(result);
    print(result);
  };
  const inTurn = async (checks: readonly ActCheck[]): Promise<void> => {
    for (const check of checks.filter(isWanted)) await one(check);
  };
  const labWatch = WATCH_CHECKS.some(name => isWanted({ name, run: async () => '' }))
    ? await startLabWatch(lab)
    : undefined;
  // The leak takes as long to be proven, and to be seen again, as all else together; nothing else touches its node.
  const leak = Promise.all([leakCheck].filter(isWanted).map(one));
  await inTurn([
    ...contractChecks,
    ...cureChecks,
    ...drainChecks,
    ...podChecks,
    ...rightsChecks,
    ...faultChecks,
    ...killChecks,
  ]);
  await leak;
  await inTurn([serverCheck]);
  if (labWatch !== undefined) {
    await inTurn([prometheusCheck(labWatch), ...watchChecks(labWatch)]);
    await labWatch.stop();
    if (results.some(({ passed }) => !passed)) for (const line of labWatch.said.slice(-40)) say(`watch: ${line}`);
  }
  const failed = results.filter(({ passed }) => !passed);
  process.stdout.write(`\n${results.length - failed.length} of ${results.length} checks hold\n`);
  for (const { name, said } of failed) process.stdout.write(`FAILED ${name}\n  ${said}\n`);
  return results;
}

function print({ name, passed, said, seconds }: CheckResult): void {
  // A failure in full: a run that is stopped does not get to its summary.
  const short = passed && said.length > SAID_WIDTH ? `${said.slice(0, SAID_WIDTH - 1)}…` : said;
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(NAME_WIDTH)} ${time}  ${short}\n`);
}

function say(line: string): void {
  process.stderr.write(`e2e: ${line}\n`);
}
