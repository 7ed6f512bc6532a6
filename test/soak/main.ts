/**
 * `npm run soak`: tests that take too long for `npm test`.
 *
 *     npm run soak -- --kills 50      kills a process that writes to a store, and checks what is left: SQLite, PostgreSQL
 *     npm run soak -- --probes 150    attacks a server, and sends it this many probes during each attack
 *     npm run soak -- --minutes 30    watches 5,000 targets a minute on one core that long; --past 14: with two weeks of samples
 *
 *     npm run soak -- --replicas 3 --kills 200 --outage 60         kills replicas of a watch, and nothing else
 *     npm run soak -- --replicas 3 --faults --outage 600           takes their PostgreSQL away in many ways, and nothing else
 *     npm run soak -- --replicas 3 --targets 30000 --minutes 10    what many targets cost, and nothing else
 *
 * 0 leaves a part out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatBytes, signed } from '../../src/base/say.ts';
import { ATTACKS, MAX_GROWTH_BYTES, MAX_HEALTH_SECONDS, runAttacks } from './attack.ts';
import { postgresAbsent, PostgresServer } from '../postgres/postgres-server.ts';
import { killedDatabase } from './killed-database.ts';
import { type KilledDatabase, killStores } from './kill-store.ts';
import { milliseconds, runLoad } from './load.ts';
import { soakFaults } from './faults/run-faults.ts';
import { soakReplicas } from './replicas/run-replicas.ts';
import { soakScale } from './scale/run-scale.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    probes: { type: 'string', default: '150' },
    minutes: { type: 'string', default: '30' },
    targets: { type: 'string' },
    interval: { type: 'string', default: '60' },
    tls: { type: 'boolean', default: false },
    kilobytes: { type: 'string', default: '200' },
    past: { type: 'string', default: '0' },
    replicas: { type: 'string', default: '0' },
    outage: { type: 'string', default: '60' },
    sleeps: { type: 'string', default: '3' },
    faults: { type: 'boolean', default: false },
  },
});
/** Of replicas whose database has faults. */
const FAULTY_TARGETS = 60;
/** Of replicas that are killed. */
const KILLED_TARGETS = 300;
const log = (line: string): void => void process.stdout.write(`${line}\n`);

if (Number(values.replicas) > 0) {
  const run = values.faults ? faults : values.targets === undefined ? killReplicas : loadReplicas;
  if (!(await run())) process.exitCode = 1;
  process.exit();
}
if (Number(values.kills) > 0 && !(await runKills(Number(values.kills)))) process.exitCode = 1;
if (Number(values.probes) > 0 && !(await attack(Number(values.probes)))) process.exitCode = 1;
if (Number(values.minutes) > 0 && !(await load())) process.exitCode = 1;

async function loadReplicas(): Promise<boolean> {
  const problems = await soakScale({
    replicas: Number(values.replicas),
    targets: Number(values.targets),
    minutes: Number(values.minutes),
    kilobytes: Number(values.kilobytes),
    intervalSeconds: Number(values.interval),
    isTls: values.tls,
    log,
  });
  for (const problem of problems) log(`  ${problem}`);
  log(`${problems.length} problems`);
  return problems.length === 0;
}

async function faults(): Promise<boolean> {
  const problems = await soakFaults({
    replicas: Number(values.replicas),
    targets: Number(values.targets ?? FAULTY_TARGETS),
    outageSeconds: Number(values.outage),
    log,
  });
  for (const problem of problems) log(`  ${problem}`);
  log(`${problems.length} problems`);
  return problems.length === 0;
}

async function killReplicas(): Promise<boolean> {
  const { lines, problems } = await soakReplicas({
    replicas: Number(values.replicas),
    kills: Number(values.kills),
    targets: KILLED_TARGETS,
    outageSeconds: Number(values.outage),
    sleeps: Number(values.sleeps),
    log,
  });
  for (const line of lines) log(line);
  for (const problem of problems) log(`  ${problem}`);
  log(`${problems.length} problems`);
  return problems.length === 0;
}

async function runKills(kills: number): Promise<boolean> {
  const inFolders = await killAll('SQLite', kills);
  if (postgresAbsent !== false) log(`PostgreSQL is left out: ${postgresAbsent}`);
  if (postgresAbsent !== false) return inFolders;
  const server = await new PostgresServer({ settings: ['fsync=on'] }).start();
  try {
    return (await killAll('PostgreSQL', kills, killedDatabase(server))) && inFolders;
  } finally {
    await server.remove();
  }
}

async function killAll(store: string, kills: number, database?: KilledDatabase): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-kills-'));
  const { batches, captures, problems } = await killStores({
    kills,
    folder,
    log,
    ...(database === undefined ? {} : { database }),
  });
  for (const problem of problems) log(`  ${problem}`);
  log(`${store}: ${kills} kills, ${batches} batches and ${captures} captures committed, ${problems.length} problems`);
  if (problems.length > 0) log(`what is left is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  return problems.length === 0;
}

async function attack(probes: number): Promise<boolean> {
  let isGood = true;
  await runAttacks(ATTACKS, probes, ({ attack: { name, sockets }, ...result }) => {
    const { residentGrowthBytes, slowestHealthSeconds, failedProbes } = result;
    const holds =
      residentGrowthBytes <= MAX_GROWTH_BYTES && slowestHealthSeconds < MAX_HEALTH_SECONDS && failedProbes === 0;
    log(
      `${holds ? 'ok' : 'FAILED'} ${sockets} sockets, ${name}: ${signed(formatBytes(residentGrowthBytes))} resident, ` +
        `/healthz within ${milliseconds(slowestHealthSeconds)}, ${failedProbes} of ${probes} probes failed`,
    );
    isGood &&= holds;
  });
  return isGood;
}

async function load(): Promise<boolean> {
  const targets = Number(values.targets ?? 5000);
  const minutes = Number(values.minutes);
  log(`${targets} targets a minute on one core, ${values.kilobytes} KB each, for ${minutes} minutes`);
  const [kilobytes, pastDays] = [Number(values.kilobytes), Number(values.past)];
  const result = await runLoad({ targets, minutes, kilobytes, pastDays, log });
  const { resident } = result;
  log(
    `${result.samples} samples; each target was asked ${result.askedLeast} to ${result.askedMost} times, ${result.late} late`,
  );
  log(
    `event loop p99 ${milliseconds(result.eventLoopP99Seconds)}, at most ${milliseconds(result.eventLoopMaxSeconds)}; ` +
      `${(100 * result.cpuShare).toFixed(0)} % of a core; ${formatBytes(result.residentBytes)} resident, ` +
      `heap floor ${signed(formatBytes(result.heapGrowthBytes))}; ` +
      `${resident === undefined ? 'not judged' : `${resident.verdict}: ${resident.reasons[0]}`}`,
  );
  for (const problem of result.problems) log(`  ${problem}`);
  return result.problems.length === 0;
}
