/**
 * Replicas of one watch on this machine, killed again and again, put to sleep, and cut off from their database.
 *
 *     targets on loopback  <-  replicas  ->  proxy  ->  PostgreSQL
 *                                        ->  a double of Alertmanager
 *
 * Intervals are shorter than in production, so that a run says more in less time; the times of the membership are not.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EvidenceFolder } from '../../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../../src/store/io/postgres/watch-store.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import type { WatchStore } from '../../../src/store/ports.ts';
import { DatabaseProxy } from '../../postgres/database-proxy.ts';
import { PostgresServer } from '../../postgres/postgres-server.ts';
import { AlertRecorder } from './alert-recorder.ts';
import { ReplicaProcess, ROOT } from './replica-process.ts';
import { WatchedFleet } from './watched-fleet.ts';
import { findGaps, type Scraped, type SoakEvent, timeText } from './judge-scrapes.ts';

export interface ReplicaSoak {
  readonly replicas: number;
  readonly kills: number;
  readonly targets: number;
  /** How often the leader is put to sleep. */
  readonly sleeps: number;
  /** How long the database is unreachable, in seconds; 0 leaves all of its outages out. */
  readonly outageSeconds: number;
  readonly log: (line: string) => void;
}

export interface ReplicaSoakResult {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

export const INTERVAL_SECONDS = 10;
const TIME_SCALE = 60;
const LEAKING = 4;
/** A dead replica counts as dead after 12 s, and others look every 2 s: one at a time fails. */
const BETWEEN_KILLS_SECONDS = 20;
/** The killed one is started again after this long, and joins when its last life counts as dead. */
const RESTART_SECONDS = 3;
/** The interval, and 30 s until another replica has taken over. */
const MAX_GAP_SECONDS: number = INTERVAL_SECONDS + 30;

/** After the last post. */
const ALERTS_LAST_SECONDS = 240;
const now = (): number => Date.now() / 1000;

/** All that takes part in a run. */
interface Scene {
  readonly soak: ReplicaSoak;
  readonly folder: string;
  readonly server: PostgresServer;
  readonly proxy: DatabaseProxy;
  readonly fleet: WatchedFleet;
  readonly alerts: AlertRecorder;
  readonly replicas: readonly ReplicaProcess[];
  readonly captures: Captures;
  readonly problems: string[];
  readonly events: SoakEvent[];
  /** By target: the times of samples that the store has had; they must be there in the end. */
  readonly committed: readonly Set<number>[];
}

export async function soakReplicas(soak: ReplicaSoak): Promise<ReplicaSoakResult> {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const scene = await sceneOf(soak);
  const { server, proxy, fleet, alerts, replicas, problems } = scene;
  const { targets, log } = soak;
  let [sinceStart, leaderKills] = [0, 0];
  try {
    for (const one of replicas) await one.start();
    log(`${replicas.length} replicas, ${targets} targets every ${INTERVAL_SECONDS} s, logs in ${scene.folder}`);
    await waitFor(() => alerts.active().size >= LEAKING, 420, 'an alert for each target that leaks', problems);
    log(`${alerts.active().size} alerts are raised`);
    sinceStart = now();
    leaderKills = await killReplicas(scene, sinceStart);
    await sleepers(scene);
    if (soak.outageSeconds > 0) await outages(scene);
    await delay(20_000);
    const shown = await Promise.all(
      living(scene).map(one => one.get<{ rows: { target: string }[] }>('/fleet?hours=1')),
    );
    for (const { rows } of shown)
      if (rows.filter(({ target }) => target.startsWith('http')).length !== targets)
        problems.push(`a replica shows ${rows.length} targets`);
  } finally {
    for (const one of living(scene)) {
      await one.signal('SIGCONT');
      await one.signal('SIGTERM');
    }
  }
  const lines: string[] = [];
  try {
    lines.push(...(await judgeStored(scene, leaderKills, sinceStart, now() - 5)));
  } finally {
    await server.remove();
    proxy.close();
  }
  if (fleet.mostProfilesAtOnce > 1) problems.push(`${fleet.mostProfilesAtOnce} profiles of one target at once`);
  if (alerts.raised.size !== LEAKING) problems.push(`${alerts.raised.size} alerts for ${LEAKING} targets`);
  problems.push(...alerts.problems);
  return { lines, problems };
}

async function sceneOf(soak: ReplicaSoak): Promise<Scene> {
  const { targets } = soak;
  const folder = mkdtempSync(join(tmpdir(), 'oakum-replicas-'));
  const server = await new PostgresServer({ settings: ['fsync=on'] }).start();
  const proxy = new DatabaseProxy(server);
  const port = await proxy.listen();
  const fleet = await new WatchedFleet({ targets, leaking: LEAKING, timeScale: TIME_SCALE }).listen();
  const alerts = await new AlertRecorder().listen();
  const replicas = Array.from(
    { length: soak.replicas },
    (_, i) =>
      new ReplicaProcess({
        id: `oakum-${i}`,
        args: [
          ...fleet.urls(),
          ...['--store', `postgres://oakum@127.0.0.1:${port}/postgres?schema=soak&sslmode=disable`],
          ...['--data', join(folder, 'data'), '--replica', 'postgres', '--replica-id', `oakum-${i}`],
          ...['--listen', 'localhost:0', '--interval', `${INTERVAL_SECONDS}s`, '--time-scale', String(TIME_SCALE)],
          ...['--capture', '--alertmanager', `http://127.0.0.1:${alerts.port}/oakum-${i}`],
        ],
        logs: folder,
      }),
  );
  const committed = Array.from({ length: targets }, () => new Set<number>());
  const records = { captures: new Captures(), problems: [], events: [], committed };
  return { soak, folder, server, proxy, fleet, alerts, replicas, ...records };
}

function living({ replicas }: Scene): ReplicaProcess[] {
  return replicas.filter(({ isRunning }) => isRunning);
}

async function leaderOf(scene: Scene): Promise<ReplicaProcess | undefined> {
  for (const one of living(scene)) {
    const status = await one.get<WatchStatus>('/status').catch(() => undefined);
    if (status?.replicas?.isLeader === true) return one;
  }
  return undefined;
}

function note({ events }: Scene, text: string): void {
  events.push({ at: now(), text: `${timeText(now())} ${text}` });
}

function tell(scene: Scene, line: string): void {
  note(scene, line);
  scene.soak.log(line);
}

/** What became of captures that were asked for. */
class Captures {
  readonly taken: string[] = [];
  readonly refusals = new Map<string, number>();
  refused = 0;

  async ask(from: ReplicaProcess, target: string): Promise<void> {
    const reply = await from.capture(target).catch(() => undefined);
    if (reply?.captureId !== undefined) return void this.taken.push(reply.captureId);
    this.refused++;
    // Cut off with its replica.
    if (reply === undefined) return;
    const why = (reply.error ?? '').replace(/\S*\d\S*/g, 'N');
    this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
  }
}

/** Returns how often it was the leader. */
async function killReplicas(scene: Scene, since: number): Promise<number> {
  const { soak, replicas, fleet, problems, captures } = scene;
  let leaderKills = 0;
  const asked: Promise<void>[] = [];
  for (let kill = 1; kill <= soak.kills; kill++) {
    // Each in turn, and every second time whoever leads.
    const victim = (kill % 2 === 0 ? await leaderOf(scene) : undefined) ?? replicas[kill % replicas.length];
    if (victim === undefined || !victim.isRunning) continue;
    if (kill % 2 === 0) leaderKills++;
    // A replica that stays takes a capture of any target.
    const others = living(scene).filter(one => one !== victim);
    const from = others[kill % others.length];
    if (from !== undefined) asked.push(captures.ask(from, fleet.urls()[kill % soak.targets] ?? ''));
    await noteCommitted(scene, kill);
    note(scene, `kill ${kill} of ${victim.id}`);
    await victim.signal('SIGKILL');
    const began = now();
    await delay(1000 * RESTART_SECONDS);
    await victim.start();
    note(scene, `${victim.id} is back`);
    await delay(Math.max(0, 1000 * (BETWEEN_KILLS_SECONDS - (now() - began))));
    const active = scene.alerts.active();
    if (active.size !== LEAKING) problems.push(`after kill ${kill}, ${active.size} targets have an alert`);
    for (const [target, times] of active) if (times > 1) problems.push(`${target} has ${times} alerts at once`);
    if (kill % 10 === 0) reportSoFar(scene, kill, leaderKills, since);
  }
  await Promise.all(asked);
  return leaderKills;
}

function reportSoFar({ soak, fleet, events, problems }: Scene, kill: number, leaderKills: number, from: number): void {
  const soFar = findGaps({ ...scrapedBy(fleet), from, to: now(), stored: [], committed: [], events });
  const count = problems.length + soFar.problems.length;
  soak.log(`${kill} kills, ${leaderKills} of the leader; ${count} problems; ${soFar.lines[0]}`);
  for (const problem of soFar.problems.slice(0, 3)) soak.log(`  ${problem}`);
}

function openToRead({ server, folder }: Scene): Promise<WatchStore> {
  return openPostgresStore(server.urlOf('soak'), new EvidenceFolder(join(folder, 'data/blobs')), { toRead: true });
}

/** What the store has of every fifth target now must be there in the end. */
async function noteCommitted(scene: Scene, kill: number): Promise<void> {
  const store = await openToRead(scene);
  for (let i = kill % 5; i < scene.soak.targets; i += 5) {
    const times = await timesIn(store, scene.fleet.urls()[i] ?? '', now() - 60, now());
    for (const at of times) scene.committed[i]?.add(at);
  }
  await store.close();
}

/** What the store has in the end, in lines; adds to the problems. */
async function judgeStored(scene: Scene, leaderKills: number, from: number, to: number): Promise<string[]> {
  const { soak, fleet, alerts, captures, problems } = scene;
  const store = await openToRead(scene);
  try {
    const gaps = await gapsIn(store, scene, from, to);
    problems.push(...gaps.problems);
    const kept = await store.records({ kind: 'capture' });
    const ids = new Set(kept.map(({ id }) => id));
    for (const id of captures.taken) if (!ids.has(id)) problems.push(`capture ${id} was taken, and is lost`);
    for (const one of kept)
      for (const { sha256 } of one.files)
        if ((await store.readProfile(sha256)) === undefined) problems.push(`a file of capture ${one.id} is lost`);
    return [
      ...gaps.lines,
      `${soak.kills} kills, ${leaderKills} of the leader; ${captures.taken.length} captures asked for and kept, ${captures.refused} refused ` +
        `or cut off with their replica; at most ${fleet.mostProfilesAtOnce} profile at once of a target`,
      ...Array.from(captures.refusals, ([why, times]) => `${times} captures refused: ${why}`),
      `${alerts.posts.length} posts to Alertmanager, ${alerts.raised.size} alerts by their labels for ${LEAKING} targets that leak`,
    ];
  } finally {
    await store.close();
  }
}

async function gapsIn(
  store: WatchStore,
  { fleet, committed, events }: Scene,
  from: number,
  to: number,
): Promise<{ lines: string[]; problems: string[] }> {
  const stored: (readonly number[])[] = [];
  for (const url of fleet.urls()) stored.push(await timesIn(store, url, from - 120, to + 60));
  return findGaps({ ...scrapedBy(fleet), stored, from, to, committed, events });
}

function scrapedBy({
  scrapes,
  profileTimes,
}: WatchedFleet): Pick<Scraped, 'scrapes' | 'profileTimes' | 'intervalSeconds' | 'mostGapSeconds'> {
  return { scrapes, profileTimes, intervalSeconds: INTERVAL_SECONDS, mostGapSeconds: MAX_GAP_SECONDS };
}

async function timesIn(store: WatchStore, target: string, from: number, to: number): Promise<number[]> {
  const [series] = await store.query({ target, metrics: ['go_goroutines'], from, to, maxPoints: 1e6 });
  return [...(series?.times ?? [])];
}

/** A replica that sleeps for longer than its lease does nothing as leader when it wakes up. */
async function sleepers(scene: Scene): Promise<void> {
  const { soak, replicas, alerts, problems } = scene;
  for (let round = 0; round < soak.sleeps; round++) {
    const sleeping = await leaderOf(scene);
    if (sleeping === undefined) continue;
    await sleeping.signal('SIGSTOP');
    await delay(20_000);
    const others = replicas.filter(one => one !== sleeping && one.isRunning);
    const next = await Promise.all(others.map(one => one.get<WatchStatus>('/status')));
    const heir = next.find(({ replicas: view }) => view?.isLeader === true);
    if (heir === undefined) problems.push('nobody leads while the leader sleeps');
    await sleeping.signal('SIGCONT');
    const wokenAt = Date.now() / 1000;
    await delay(70_000);
    const late = alerts.posts.filter(({ at, from }) => at > wokenAt && from === sleeping.id);
    const status = await sleeping.get<WatchStatus>('/status');
    if (status.replicas?.isLeader !== true && late.length > 0)
      problems.push(`${sleeping.id} slept as leader, and sent ${late.length} posts after it woke up`);
    tell(
      scene,
      `${sleeping.id} slept for 20 s as leader: ${late.length} posts of it in the 70 s after; ${heir?.replicas?.id} leads`,
    );
  }
}

async function statusesOf({ replicas, problems }: Scene): Promise<WatchStatus[]> {
  const asked = await Promise.all(replicas.map(one => one.get<WatchStatus>('/status').catch(() => one.id)));
  for (const one of asked) if (typeof one === 'string') problems.push(`${one} does not answer`);
  return asked.filter(one => typeof one !== 'string');
}

async function outages(scene: Scene): Promise<void> {
  const { server, proxy, alerts, problems } = scene;
  const { outageSeconds } = scene.soak;
  await server.stop();
  await server.start();
  await delay(15_000);
  tell(scene, 'PostgreSQL crashed and came back');
  proxy.delayMs = 250;
  await delay(30_000);
  proxy.delayMs = 0;
  tell(scene, 'PostgreSQL was slow for 30 s: 250 ms each way');
  problems.push(...alerts.problems.splice(0));
  proxy.cut();
  await delay(1000 * outageSeconds);
  const cutOff = await statusesOf(scene);
  for (const { store, replicas } of cutOff) {
    if (store.degraded === null) problems.push(`${replicas?.id} does not say that nothing can be kept`);
    if (replicas?.isLeader === true) problems.push(`${replicas.id} leads without its authority`);
    if (replicas?.trouble == null) problems.push(`${replicas?.id} does not say that it is on its own`);
  }
  proxy.isCut = false;
  await delay(30_000);
  for (const { store, replicas } of await statusesOf(scene))
    if (store.degraded !== null || replicas?.trouble != null) problems.push(`${replicas?.id} did not recover`);
  // Nobody leads meanwhile, so alerts that are not renewed end.
  if (outageSeconds > ALERTS_LAST_SECONDS) {
    const { length } = alerts.problems.splice(0);
    tell(scene, `${length} alerts ended in the outage, since nobody leads then, and were raised again after it`);
  }
  tell(scene, `PostgreSQL was unreachable for ${outageSeconds} s; each replica said so, sampled on and caught up`);
}

async function waitFor(isDone: () => boolean, seconds: number, what: string, problems: string[]): Promise<void> {
  for (let waited = 0; waited < seconds; waited++) {
    if (isDone()) return;
    await delay(1000);
  }
  problems.push(`there was not ${what} within ${seconds} s`);
}
