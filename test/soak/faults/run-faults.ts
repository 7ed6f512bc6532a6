/**
 * A watch of several replicas whose PostgreSQL is restarted, slow, silent, full and unreachable, one after the other.
 *
 *     targets on loopback  <-  replicas  ->  proxy  ->  PostgreSQL on a small disk
 *
 * What targets answered all the while is compared with what the store has in the end.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EvidenceFolder } from '../../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../../src/store/io/postgres/watch-store.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import { DatabaseProxy } from '../../postgres/database-proxy.ts';
import { PostgresServer } from '../../postgres/postgres-server.ts';
import { readMetrics } from '../node-process.ts';
import { AlertRecorder } from '../replicas/alert-recorder.ts';
import { findGaps, type SoakEvent, timeText } from '../replicas/judge-scrapes.ts';
import { ReplicaProcess, ROOT } from '../replicas/replica-process.ts';
import { NUMBERING_METRIC, WatchedFleet } from '../replicas/watched-fleet.ts';
import { judgeSamples, type JudgedSpan } from './judge-samples.ts';
import { mountAbsent, SmallDisk } from './small-disk.ts';

export interface FaultSoak {
  readonly replicas: number;
  readonly targets: number;
  /** How long the database is unreachable; the other faults last a minute each. */
  readonly outageSeconds: number;
  readonly log: (line: string) => void;
}

const INTERVAL_SECONDS = 10;
const FAULT_SECONDS = 60;
const SLOW_MS = 500;
const DISK_MEGABYTES = 300;
const MAX_SEGMENTS = 100;
/** Until every replica says that all is well again. */
const MAX_RECOVERY_SECONDS = 180;
/** A replica without its authority samples on; one that comes back takes its turn. */
const MAX_GAP_SECONDS: number = INTERVAL_SECONDS + 30;
/** Answers that may still be on their way into the store when the replicas are ended. */
const LAST_SECONDS = 3;

interface Fault {
  readonly name: string;
  readonly seconds: number;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  /** Whether replicas must say that nothing can be kept. */
  readonly isTold: boolean;
}

const now = (): number => Date.now() / 1000;

export async function soakFaults(soak: FaultSoak): Promise<readonly string[]> {
  const { log, outageSeconds, targets } = soak;
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) throw new Error('the build failed');
  const folder = mkdtempSync(join(tmpdir(), 'oakum-faults-'));
  const disk = mountAbsent === false ? new SmallDisk(DISK_MEGABYTES) : undefined;
  const server = await new PostgresServer({
    settings: ['fsync=on', 'max_wal_size=32MB', 'min_wal_size=8MB'],
    walSegmentMegabytes: 1,
    ...(disk === undefined ? {} : { parent: disk.folder }),
  }).start();
  const proxy = new DatabaseProxy(server);
  await proxy.listen();
  const fleet = await new WatchedFleet({ targets, leaking: 0, timeScale: 1 }).listen();
  const alerts = await new AlertRecorder().listen();
  const replicas = replicasOf(soak, fleet, proxy, alerts, folder);
  const problems: string[] = [];
  const spans: JudgedSpan[] = [];
  const events: SoakEvent[] = [];
  let [begunAt, endedAt] = [0, 0];
  try {
    for (const one of replicas) await one.start();
    await delay(3000 * INTERVAL_SECONDS);
    begunAt = now();
    log(`${replicas.length} replicas, ${targets} targets every ${INTERVAL_SECONDS} s, logs in ${folder}`);
    for (const fault of faultsOf(server, proxy, disk, outageSeconds)) {
      const from = now();
      events.push({ at: from, text: `${timeText(from)} ${fault.name}` });
      await fault.begin();
      await delay(1000 * fault.seconds);
      await judgeMeanwhile(fault, replicas, problems, log);
      await fault.end();
      const over = now();
      const why = await untilWell(replicas);
      if (why !== undefined) problems.push(`${fault.name}: not well after ${MAX_RECOVERY_SECONDS} s: ${why}`);
      log(`${timeText(now())} ${fault.name} for ${fault.seconds} s: well again after ${Math.round(now() - over)} s`);
      spans.push({ name: fault.name, from, to: over });
      // One fault at a time: every replica knows all others again.
      await delay(2000 * INTERVAL_SECONDS);
    }
    if (mountAbsent !== false) log(`the full disk was left out: ${mountAbsent}`);
    await delay(1000 * INTERVAL_SECONDS);
    endedAt = now() - LAST_SECONDS;
  } finally {
    for (const one of replicas) await one.signal('SIGTERM');
  }
  try {
    const spansAndAll = [...spans, { name: 'all of it', from: begunAt, to: endedAt }];
    problems.push(...(await judgeStored(server, fleet, folder, spansAndAll, events, log)));
  } finally {
    proxy.close();
    await server.remove();
    disk?.remove();
  }
  return problems;
}

function replicasOf(
  soak: FaultSoak,
  fleet: WatchedFleet,
  proxy: DatabaseProxy,
  alerts: AlertRecorder,
  folder: string,
): readonly ReplicaProcess[] {
  return Array.from(
    { length: soak.replicas },
    (_, i) =>
      new ReplicaProcess({
        id: `oakum-${i}`,
        args: [
          ...fleet.urls(),
          ...['--store', proxy.urlFor('faults'), '--data', join(folder, `data-${i}`)],
          ...['--replica', 'postgres', '--replica-id', `oakum-${i}`, '--listen', 'localhost:0'],
          ...['--interval', `${INTERVAL_SECONDS}s`, '--capture'],
          ...['--alertmanager', `http://127.0.0.1:${alerts.port}/oakum-${i}`],
        ],
        logs: folder,
      }),
  );
}

/** Problems of what the store has in the end; the last of the spans is all of it. */
async function judgeStored(
  server: PostgresServer,
  fleet: WatchedFleet,
  folder: string,
  spans: readonly JudgedSpan[],
  events: readonly SoakEvent[],
  log: (line: string) => void,
): Promise<readonly string[]> {
  const { from = 0, to = 0 } = spans.at(-1) ?? {};
  const store = await openPostgresStore(server.urlOf('faults'), new EvidenceFolder(join(folder, 'none')), {
    toRead: true,
  });
  try {
    const stored: ReadonlySet<number>[] = [];
    for (const target of fleet.urls()) {
      const [series] = await store.query({
        target,
        metrics: [NUMBERING_METRIC],
        from: from - FAULT_SECONDS,
        to: now(),
        maxPoints: 1e6,
      });
      stored.push(new Set(series?.values));
    }
    const samples = judgeSamples(fleet.answers, stored, spans, INTERVAL_SECONDS);
    const gaps = findGaps({
      scrapes: fleet.scrapes,
      stored: [],
      committed: [],
      from,
      to,
      intervalSeconds: INTERVAL_SECONDS,
      mostGapSeconds: MAX_GAP_SECONDS,
      events,
    });
    for (const line of [...samples.lines, ...gaps.lines.slice(0, 1)]) log(line);
    return [...samples.problems, ...gaps.problems];
  } finally {
    await store.close();
  }
}

function faultsOf(
  server: PostgresServer,
  proxy: DatabaseProxy,
  disk: SmallDisk | undefined,
  outageSeconds: number,
): readonly Fault[] {
  const minute = { seconds: FAULT_SECONDS };
  const faults: Fault[] = [
    {
      name: 'crashed and restarted',
      seconds: INTERVAL_SECONDS,
      isTold: false,
      begin: async () => {
        await server.stop();
        await server.start();
      },
      end: () => {},
    },
    {
      name: `slow (${SLOW_MS} ms each way)`,
      ...minute,
      isTold: false,
      begin: () => void (proxy.delayMs = SLOW_MS),
      end: () => void (proxy.delayMs = 0),
    },
    {
      name: 'silent',
      ...minute,
      isTold: true,
      begin: () => void (proxy.isSilent = true),
      end: () => void (proxy.isSilent = false),
    },
    { name: 'half-open connections', ...minute, isTold: false, begin: () => proxy.hush(), end: () => {} },
  ];
  if (disk !== undefined)
    faults.push({
      name: 'full',
      ...minute,
      isTold: true,
      begin: async () => {
        disk.fill();
        await useUpLog(server);
      },
      end: async () => {
        disk.free();
        // Without room for its log, it may have given up.
        await server.stop();
        await server.start();
      },
    });
  faults.push({
    name: 'unreachable',
    seconds: outageSeconds,
    isTold: true,
    begin: () => proxy.cut(),
    end: () => void (proxy.isCut = false),
  });
  return faults;
}

/** Until there is no segment of its log left that it could use again. */
async function useUpLog(server: PostgresServer): Promise<void> {
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    try {
      await server.run("SELECT pg_logical_emit_message(false, 'oakum', 'x'); SELECT pg_switch_wal()");
    } catch {
      return;
    }
  }
}

async function judgeMeanwhile(
  { name, isTold }: Fault,
  replicas: readonly ReplicaProcess[],
  problems: string[],
  log: (line: string) => void,
): Promise<void> {
  for (const one of replicas) {
    const status = await one.get<WatchStatus>('/status').catch(() => undefined);
    if (status === undefined) {
      problems.push(`${name}: ${one.id} does not answer`);
      continue;
    }
    const { degraded } = status.store;
    if (!isTold) continue;
    log(`${name}, ${one.id}: ${degraded ?? 'nothing is said'}`);
    if (degraded === null) problems.push(`${name}: ${one.id} does not say that nothing can be kept`);
    const { oakum_store_lost_samples_total: lost } = await readMetrics(one.url);
    if (lost !== 0) problems.push(`${name}: ${one.id} lost ${lost} samples`);
  }
}

/** Why they are not; undefined if they are. */
async function untilWell(replicas: readonly ReplicaProcess[]): Promise<string | undefined> {
  let why: string | undefined;
  for (let waited = 0; waited < MAX_RECOVERY_SECONDS; waited++) {
    why = undefined;
    for (const one of replicas) {
      const status = await one.get<WatchStatus>('/status').catch(() => undefined);
      const trouble =
        status === undefined ? 'no answer' : (status.store.degraded ?? status.replicas?.trouble ?? undefined);
      if (trouble !== undefined) why = `${one.id}: ${trouble}`;
    }
    if (why === undefined) return undefined;
    await delay(1000);
  }
  return why;
}
