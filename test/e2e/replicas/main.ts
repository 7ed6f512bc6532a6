/**
 * npm run e2e:replicas
 *
 * Three replicas of `oakum watch` as the chart runs them, against a real API server (lab/) and a real PostgreSQL:
 *
 *     60 targets on loopback, 2 kubelets  <-  oakum-0, oakum-1, oakum-2  ->  Leases in the namespace oakum
 *                                                  |        |                with the rights that the chart grants
 *                                              PostgreSQL   a double of Alertmanager
 *
 * They are killed, stopped and put to sleep; the API server is killed and hangs; Leases and rights are taken away; clocks
 * are wrong. Needs helm (PATH or OAKUM_HELM), Debian's postgresql, and what the lab needs. 20 minutes; exits 1 if anything
 * failed. The intervals are shorter than in production, the times of the membership are not.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../../../lab/api-client.ts';
import { startLab, stopLab } from '../../../lab/control.ts';
import { environmentOf, type Environment } from '../../../lab/environment.ts';
import type { LabState } from '../../../lab/layout.ts';
import { EvidenceFolder } from '../../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../../src/store/io/postgres/watch-store.ts';
import { ROOT } from '../../places.ts';
import { postgresAbsent, PostgresServer } from '../../postgres/postgres-server.ts';
import { AlertRecorder } from '../../soak/replicas/alert-recorder.ts';
import { findGaps } from '../../soak/replicas/judge-scrapes.ts';
import { WatchedFleet } from '../../soak/replicas/watched-fleet.ts';
import {
  apply,
  findHelm,
  kubeconfigWith,
  kubectl,
  type Manifest,
  renderWith,
  rightsIn,
  say,
  until,
} from '../chart/chart-in-lab.ts';
import { clocks } from './clocks.ts';
import { handOver, kills, leaderOf, sleeps, type Stage } from './kills.ts';
import { databaseAway, deletedLeases, outages } from './outages.ts';
import { NAMESPACE, PodMaker } from './pod-like-replica.ts';
import { autoChoice, missingRights, revokedRights, rightsOfLeases } from './rights.ts';
import { leasesOf, RunningReplicas } from './running-replicas.ts';

const IDS = ['oakum-0', 'oakum-1', 'oakum-2'];
const TARGETS = 60;
const NODES = 2;
const LEAKING = 4;
const INTERVAL_SECONDS = 10;
const TIME_SCALE = 60;
const KILL_ROUNDS = 4;
const ALERTS_SECONDS = 420;
/** The interval, and 30 s until another replica has taken over. */
const MAX_GAP_SECONDS: number = INTERVAL_SECONDS + 30;

const helm = findHelm();
if (helm === undefined) console.log('skipped: there is no helm; set OAKUM_HELM');
else if (postgresAbsent !== false) console.log(`skipped: ${postgresAbsent}`);
else process.exitCode = await main(helm);
process.exit();

async function main(helmPath: string): Promise<number> {
  assert.equal(spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' }).status, 0);
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-replicas-'));
  const labFolder = join(folder, 'lab');
  const server = await new PostgresServer({ settings: ['fsync=on'] }).start();
  let isDone = false;
  try {
    const lab = await startLab({
      folder: labFolder,
      nodesFile: join(import.meta.dirname, '../chart/nodes.json'),
      lifetimeMinutes: 60,
      say: line => say(`lab: ${line}`),
    });
    await withLab(lab, helmPath, folder, server);
    isDone = true;
    say('all passed');
    return 0;
  } catch (error) {
    say(`FAILED: ${(error as Error).stack}; logs are in ${folder}`);
    return 1;
  } finally {
    await stopLab(labFolder);
    await server.remove();
    if (isDone) rmSync(folder, { recursive: true, force: true });
  }
}

async function withLab(lab: LabState, helmPath: string, folder: string, server: PostgresServer): Promise<void> {
  const environment = environmentOf(lab);
  const client = new ApiClient(lab);
  const alerts = await new AlertRecorder().listen();
  const fleet = await new WatchedFleet({ targets: TARGETS, leaking: LEAKING, timeScale: TIME_SCALE }).listen();
  const objects = renderWith(helmPath)([
    ...['--set', `replicaCount=${IDS.length},store.existingSecret=oakum-store,watch.interval=${INTERVAL_SECONDS}s`],
    ...[
      '--set',
      `extraArgs={--time-scale=${TIME_SCALE}}`,
      '--set-json',
      `watch.targets=${JSON.stringify(fleet.urls())}`,
    ],
  ]);
  const created = kubectl(environment, ['create', 'namespace', NAMESPACE]);
  assert.equal(created.status, 0, created.out);
  const granted = apply(environment, rightsIn(objects));
  assert.equal(granted.status, 0, granted.out);

  const podsOn = (schema: string): PodMaker =>
    new PodMaker({ environment, folder, objects, store: server.urlOf(schema) }, schema);
  const pods = podsOn('main');
  const rights = { environment, pods, ...rightsOfLeases(objects) };
  await missingRights(rights);
  const token = kubectl(environment, ['-n', NAMESPACE, 'create', 'token', 'oakum']).out.trim();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigWith(token, environment));
  await autoChoice(podsOn('choice'), kubeconfig, client, { server, schema: 'choice' });
  deleteLeases(environment);

  const all = await Promise.all(
    IDS.map(id => pods.replica(id, { args: ['--alertmanager', `http://127.0.0.1:${alerts.port}/${id}`] })),
  );
  const replicas = new RunningReplicas(all);
  const stage: Stage = { replicas, fleet, alerts, intervalSeconds: INTERVAL_SECONDS };
  const began = Date.now() / 1000;
  try {
    await Promise.all(all.map(one => one.start()));
    await together(stage, client, objects);
    const since = Date.now() / 1000;
    replicas.keepLooking();
    await kills(stage, KILL_ROUNDS);
    await handOver(stage);
    await until('an alert for each target that leaks', ALERTS_SECONDS, async () => alerts.active().size >= LEAKING);
    say(`${alerts.active().size} alerts are raised`);
    await sleeps(stage);
    await outages(stage, lab);
    await deletedLeases(stage, environment, client);
    await fenceIs(server, (await leaderOf(replicas)).term);
    await databaseAway(stage, server);
    await revokedRights(stage, rights);
    // The others below sample the same targets.
    await judge(server, fleet, folder, since);
    await clocks(podsOn('clocks'), replicas, client);
    assert.deepEqual([...replicas.problems, ...alerts.problems], []);
    say(`at most one leader at every moment; terms as they were seen: ${replicas.terms.join(' ')}`);
  } finally {
    await replicas.stop();
    client.close();
  }
  say(
    `${alerts.posts.length} posts to Alertmanager in ${Math.round(Date.now() / 1000 - began)} s, no alert ended or was doubled`,
  );
}

/** They know of each other by Leases, and share the targets. */
async function together({ replicas, fleet }: Stage, client: ApiClient, objects: readonly Manifest[]): Promise<void> {
  const { all } = replicas;
  await replicas.untilAgreed(all, 30);
  const leases = await leasesOf(client);
  const [{ group = '' } = {}] = leases;
  assert.match(group, /^oakum-[0-9a-f]{8}$/);
  const names = leases.map(({ name }) => name.replace(group, 'GROUP')).sort();
  assert.deepEqual(names, ['GROUP-leader', ...IDS.map(id => `GROUP-replica-${id}`)]);
  const { process, term } = await leaderOf(replicas);
  const leader = leases.find(({ name }) => name.endsWith('-leader'));
  assert.ok(leader?.holder.startsWith(`${process.id}_`) && leader.transitions + 1 === term, JSON.stringify(leader));
  for (const one of all)
    assert.equal(leases.find(({ name }) => name.endsWith(`-${one.id}`))?.address, one.url, 'where others find it');
  say(`${leases.map(({ name, holder }) => `${name} (${holder})`).join(', ')}; ${process.id} leads with term ${term}`);

  await until('each of them is ready', 60, async () => {
    const answers = await Promise.all(all.map(one => one.ask('/readyz')));
    return answers.every(({ ok }) => ok);
  });
  await until('each of them knows all targets', 60, async () => {
    const views = await replicas.views();
    return views.every(({ shares }) => sum(Object.values(shares)) === TARGETS + NODES);
  });
  const [{ shares }] = await replicas.views();
  assert.ok(
    Object.values(shares).every(count => count > 10),
    JSON.stringify(shares),
  );
  const from = Date.now() / 1000;
  await delay(4000 * INTERVAL_SECONDS);
  for (const times of fleet.scrapes) {
    const count = times.filter(at => at >= from).length;
    assert.ok(count >= 3 && count <= 5, `a target was sampled ${count} times in four intervals`);
  }
  const kind = objects.find(one => one.kind === 'StatefulSet')?.metadata.name;
  say(
    `targets of each replica of the StatefulSet ${kind}: ${JSON.stringify(shares)}; each is sampled once per interval`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function deleteLeases(environment: Environment): void {
  const { status, out } = kubectl(environment, ['-n', NAMESPACE, 'delete', 'lease', '--all']);
  assert.equal(status, 0, out);
}

/** The leader writes to the store, under its term. */
async function fenceIs(server: PostgresServer, term: number): Promise<void> {
  await until(`the store has term ${term}`, 60, async () => {
    const [row] = await server.run("SELECT term FROM replica_fence WHERE authority = 'lease'", 'main');
    return Number(row?.['term']) === term;
  });
}

/** Over the whole time: the longest time without a sample, and what was sampled twice. */
async function judge(server: PostgresServer, fleet: WatchedFleet, folder: string, from: number): Promise<void> {
  const files = new EvidenceFolder(join(folder, 'none'));
  const store = await openPostgresStore(server.urlOf('main'), files, { toRead: true });
  try {
    const to = Date.now() / 1000 - 5;
    const stored: number[][] = [];
    for (const target of fleet.urls()) {
      const [series] = await store.query({ target, metrics: ['go_goroutines'], from, to, maxPoints: 1e6 });
      stored.push([...(series?.times ?? [])]);
    }
    const { lines, problems } = findGaps({
      scrapes: fleet.scrapes,
      stored,
      committed: [],
      events: [],
      from,
      to,
      intervalSeconds: INTERVAL_SECONDS,
      mostGapSeconds: MAX_GAP_SECONDS,
    });
    assert.deepEqual(problems, []);
    const samples = sum(stored.map(times => times.length));
    say(`${lines[0]}; ${lines[1]?.replace(/;.*/, '')}; the store has ${samples} samples of them`);
  } finally {
    await store.close();
  }
}
