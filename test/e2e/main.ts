/**
 * npm run e2e [-- --only WORD]... [--keep]
 *
 * Runs every command against a real control plane with leaking and fixed kubelets (lab/), as a user would, and prints
 * what the user sees. Takes about 15 minutes, ten of them to prove a kubelet healthy. Exits 1 if anything failed. The lab
 * is shut down at the end in any case, except with --keep. --only runs the checks whose names contain one of the words.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startLab, stopLab } from '../../lab/control.ts';
import { environmentOf } from '../../lab/environment.ts';
import { LabError } from '../../lab/lab-error.ts';
import { type Check, type CheckResult, type CheckContext, runCheck } from './check.ts';
import { daemonChecks } from './checks/daemons.ts';
import { keeperChecks } from './checks/keeper.ts';
import { doctorChecks } from './checks/doctor.ts';
import { clusterFaultChecks, nodeFaultChecks } from './checks/faults.ts';
import { prometheusChecks } from './checks/prometheus.ts';
import { collectChecks, sharingChecks } from './checks/sharing.ts';
import { longTriages, triageChecks } from './checks/triage.ts';
import { install } from './installation.ts';
import { type RunningPrometheus, startPrometheus } from './prometheus.ts';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LIFETIME_MINUTES = 60;
const NAME_WIDTH = 42;
const SAID_WIDTH = 150;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { keep: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
  });
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) return 1;
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-'));
  const labFolder = join(folder, 'lab');
  let prometheus: RunningPrometheus | undefined;
  const cleanUp = async (): Promise<void> => {
    prometheus?.stop();
    if (values.keep) return say(`kept: ${folder}`);
    await stopLab(labFolder);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
  }
  try {
    const lab = await startLab({ folder: labFolder, lifetimeMinutes: LIFETIME_MINUTES, say });
    const environment = environmentOf(lab);
    const context: CheckContext = { ...install(ROOT, folder, environment.kubectl), lab, environment };
    prometheus = await startPrometheus(join(folder, 'prometheus'), environment);
    const isWanted = ({ name }: Check): boolean =>
      values.only.length === 0 || values.only.some(word => name.includes(word));
    const results = await runAll(context, prometheus, isWanted);
    if (results.length === 0) say('no check has such a name');
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
  context: CheckContext,
  prometheus: RunningPrometheus | undefined,
  isWanted: (check: Check) => boolean,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const one = async (check: Check): Promise<void> => {
    const result = await runCheck(check, context);
    results.push(result);
    print(result);
  };
  const inTurn = async (checks: readonly Check[]): Promise<void> => {
    for (const check of checks.filter(isWanted)) await one(check);
  };
  const long = Promise.all(longTriages.filter(isWanted).map(one));
  await inTurn([
    ...doctorChecks,
    ...triageChecks,
    ...daemonChecks,
    ...keeperChecks,
    ...collectChecks,
    ...nodeFaultChecks,
    ...prometheusChecks(prometheus),
  ]);
  await long;
  await inTurn([...sharingChecks, ...clusterFaultChecks]);
  const failed = results.filter(({ passed }) => !passed);
  process.stdout.write(`\n${results.length - failed.length} of ${results.length} checks hold\n`);
  for (const { name, said } of failed) process.stdout.write(`FAILED ${name}\n  ${said}\n`);
  return results;
}

function print({ name, passed, said, seconds }: CheckResult): void {
  const short = said.length > SAID_WIDTH ? `${said.slice(0, SAID_WIDTH - 1)}…` : said;
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(NAME_WIDTH)} ${time}  ${short}\n`);
}

function say(line: string): void {
  process.stderr.write(`e2e: ${line}\n`);
}
