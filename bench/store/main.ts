/**
 * npm run bench:store: how fast a store takes samples, how much room they take, and what the past of some targets costs:
 * SQLite and PostgreSQL, one after the other, with the same samples, each flushed to disk with every commit.
 *
 *     npm run bench:store                        1,000 targets for 3 hours; then 64 targets for 26 hours; then the rest
 *     npm run bench:store -- --targets 5000 --hours 2 --parts speed
 *     npm run bench:store -- --parts past --past 20000
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../../src/store/io/sqlite/database.ts';
import { EvidenceFolder } from '../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../src/store/io/postgres/watch-store.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import { offsetOf } from '../../src/watch/sampling/sampler.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { postgresAbsent, PostgresServer } from '../../test/postgres/postgres-server.ts';
import { randomFrom } from '../random.ts';
import { table } from '../table.ts';
import { comparePast } from './compare-past.ts';
import { compareRestart } from './compare-restart.ts';
import { compareWrites } from './compare-writes.ts';
import { MadeTarget, VALUES_PER_SAMPLE } from './samples.ts';
import { serverCpuSeconds } from './server-cpu.ts';

const MIDNIGHT = 1_794_700_800;
const STEPS = [0, 300, 3600] as const;
const GOAL_VALUES = 20_000;
/** A watch commits every two seconds what it sampled, each target at its place in the minute, more or less. */
const WATCH_COMMITS = 30;
const JITTER = 0.05;

interface Run {
  readonly values: number;
  readonly scrapes: number;
  readonly wallSeconds: number;
  readonly ownCpuSeconds: number;
  readonly serverCpuSeconds: number;
  readonly slowestCommitMs: number;
}

/** Bytes of each resolution, with indexes. */
type Sizes = Readonly<Record<number, number>>;

const PARTS = ['speed', 'sizes', 'writes', 'past', 'restart'] as const;
const WRITTEN_TARGETS = [1_000, 5_000, 20_000];
const WRITTEN_VALUES = 20e6;

const { values: given } = parseArgs({
  options: {
    targets: { type: 'string', default: '1000' },
    hours: { type: 'string', default: '3' },
    past: { type: 'string', default: '5000' },
    parts: { type: 'string', default: PARTS.join() },
  },
});
await main(Number(given.targets), Number(given.hours), Number(given.past), given.parts.split(','));

async function main(targets: number, hours: number, past: number, parts: readonly string[]): Promise<void> {
  say(`${cpus().length} cores (${cpus()[0]?.model.trim() ?? ''}), Node.js ${process.version}, load ${load()}`);
  const folder = mkdtempSync(join(tmpdir(), 'oakum-bench-store-'));
  const server =
    postgresAbsent === false
      ? await new PostgresServer({ settings: ['fsync=on', 'shared_buffers=256MB', 'max_wal_size=1GB'] }).start()
      : undefined;
  if (server === undefined) say(`PostgreSQL is left out: ${String(postgresAbsent)}`);
  try {
    if (parts.includes('speed')) await compareSpeed(folder, server, targets, hours);
    if (parts.includes('sizes')) await compareSizes(folder, server, 64, 26);
    if (parts.includes('writes') && server !== undefined) {
      const store = await openPostgresStore(server.urlOf('writes'), new EvidenceFolder(join(folder, 'files')));
      await store.close();
      say(`\nThe scrapes of a round in one transaction of PostgreSQL, in two ways, in turn:\n`);
      say(await compareWrites(server, 'writes', WRITTEN_TARGETS, WRITTEN_VALUES));
    }
    if (parts.includes('past')) {
      const size = { targets: past, wanted: 100, days: 2, unsealedRounds: 30, midnight: MIDNIGHT };
      say(`\nThe past: ${size.days} days in steps of 5 minutes, and ${size.unsealedRounds} minutes not sealed yet:\n`);
      say(await comparePast(folder, server, size));
    }
    if (parts.includes('restart')) {
      const size = { targets: 200, days: 14, midnight: MIDNIGHT };
      say(`\nTwo weeks of ${size.targets} targets, read back from SQLite:\n`);
      say(await compareRestart(folder, size));
    }
  } finally {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  say(`\nLoad at the end: ${load()}`);
}

async function compareSpeed(folder: string, server: PostgresServer | undefined, targets: number, hours: number) {
  say(`\n${targets} targets with ${VALUES_PER_SAMPLE} values each minute, for ${hours} h, as fast as it goes:\n`);
  const rows: string[][] = [];
  const add = (name: string, run: Run): void => {
    const rate = (count: number, seconds: number): string => Math.round(count / seconds).toLocaleString('en');
    rows.push([
      name,
      rate(run.values, run.wallSeconds),
      rate(run.scrapes, run.wallSeconds),
      rate(run.values, run.ownCpuSeconds),
      run.ownCpuSeconds.toFixed(1),
      run.serverCpuSeconds.toFixed(1),
      `${run.slowestCommitMs.toFixed(0)} ms`,
    ]);
    say(
      `goal of ${GOAL_VALUES.toLocaleString('en')} values/s, ${name}: ${run.values / run.wallSeconds >= GOAL_VALUES ? 'met' : 'MISSED'}`,
    );
  };
  for (const commitsAMinute of [1, WATCH_COMMITS]) {
    const how = commitsAMinute === 1 ? 'a round at once' : 'every 2 s, as a watch';
    const path = `speed_${commitsAMinute}`;
    add(`SQLite, ${how}`, await run(await openFolderStore(join(folder, path)), targets, hours, { commitsAMinute }));
    if (server === undefined) continue;
    const store = await openPostgresStore(server.urlOf(path), new EvidenceFolder(join(folder, 'files')));
    add(`PostgreSQL, ${how}`, await run(store, targets, hours, { commitsAMinute, serverPid: server.pid }));
  }
  const head = [
    'store',
    'values/s',
    'scrapes/s',
    'values per own CPU s',
    'own CPU s',
    'server CPU s',
    'slowest commit',
  ];
  say(`\n${table(head, rows)}`);
}

interface RunOptions {
  readonly commitsAMinute?: number;
  readonly serverPid?: number;
  readonly eachHour?: () => Promise<unknown>;
}

async function run(store: WatchStore, targets: number, hours: number, options: RunOptions = {}): Promise<Run> {
  const { commitsAMinute = 1, serverPid, eachHour = async () => {} } = options;
  const made = Array.from({ length: targets }, (_, i) => new MadeTarget(i, MIDNIGHT));
  for (const { name } of made) store.putTarget(name, {});
  const random = randomFrom(1);
  const serverBefore = serverPid === undefined ? 0 : serverCpuSeconds(serverPid);
  const before = { wall: performance.now(), cpu: process.cpuUsage() };
  let makingMicros = 0;
  let slowest = 0;
  for (let minute = 0; minute < hours * 60; minute++) {
    const begin = process.cpuUsage();
    const pieces = Array.from({ length: commitsAMinute }, (): [string, number, Record<string, number>][] => []);
    for (const target of made) {
      const place = (offsetOf(target.name) + JITTER * (2 * random() - 1) + 1) % 1;
      const at = MIDNIGHT + 60 * minute + (commitsAMinute === 1 ? 0 : 60 * place);
      pieces[Math.floor(place * commitsAMinute)]?.push([target.name, at, target.next()]);
    }
    const { user, system } = process.cpuUsage(begin);
    makingMicros += user + system;
    for (const piece of pieces) {
      for (const [name, at, values] of piece) store.addSample(name, at, values);
      const began = performance.now();
      const { committed } = await store.commit();
      slowest = Math.max(slowest, performance.now() - began);
      if (!committed) throw new Error(store.status().degraded ?? 'not committed');
      await store.maintain(MIDNIGHT + 60 * minute);
    }
    if (minute % 60 === 59) await eachHour();
  }
  const scrapes = targets * hours * 60;
  const { user, system } = process.cpuUsage(before.cpu);
  const wallSeconds = (performance.now() - before.wall) / 1000 - makingMicros / 1e6;
  const serverSeconds = serverPid === undefined ? 0 : serverCpuSeconds(serverPid) - serverBefore;
  await store.close();
  return {
    values: scrapes * VALUES_PER_SAMPLE,
    scrapes,
    wallSeconds,
    ownCpuSeconds: (user + system - makingMicros) / 1e6,
    serverCpuSeconds: serverSeconds,
    slowestCommitMs: slowest,
  };
}

async function compareSizes(folder: string, server: PostgresServer | undefined, targets: number, hours: number) {
  say(
    `\n${targets} targets for ${hours} h; bytes of sealed samples per node-day, with indexes and free space in pages:\n`,
  );
  const rows: string[][] = [];
  const add = (name: string, sizes: Sizes, whole: number): void => {
    const perDay = STEPS.map(step => ((sizes[step] ?? NaN) / targets / hours) * 24);
    const [raw = NaN, fiveMinutes = NaN, hour = NaN] = perDay;
    // A partition goes as a whole: half of one is there on average beyond what is kept.
    const perNode = raw * 2.5 + fiveMinutes * 17.5 + hour * 415;
    rows.push([name, ...perDay.map(bytes => bytes.toFixed(0)), whole.toFixed(0), (perNode / 1e6).toFixed(2)]);
    rows.push([`  100,000 nodes, 400 days`, '', '', '', '', `${((perNode * 1e5) / 1e9).toFixed(0)} GB`]);
  };
  const path = join(folder, 'sizes');
  await run(await openFolderStore(path), targets, hours);
  const file = statSync(join(path, 'oakum.db')).size;
  const db = new Database(join(path, 'oakum.db'));
  const bodies = db.all('SELECT step, sum(length(body)) AS bytes FROM chunks GROUP BY step');
  db.close();
  const inAll = bodies.reduce((sum, row) => sum + Number(row.bytes), 0);
  add(
    'SQLite',
    Object.fromEntries(bodies.map(row => [Number(row.step), (Number(row.bytes) / inAll) * file])),
    (file / targets / hours) * 24,
  );
  if (server !== undefined) {
    const store = await openPostgresStore(server.urlOf('sizes'), new EvidenceFolder(join(folder, 'files')));
    // A day passes in a minute: what autovacuum does by the hour has to be asked for.
    await run(store, targets, hours, { serverPid: server.pid, eachHour: () => server.run('VACUUM') });
    for (const kind of ['vacuumed each hour', 'after VACUUM FULL']) {
      if (kind === 'after VACUUM FULL') await server.run('VACUUM FULL', 'sizes');
      const sizes = await server.run(
        `SELECT split_part(relname, '_', 2) AS step, sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
         WHERE relnamespace = 'sizes'::regnamespace AND relkind = 'r' AND relname LIKE 'chunks%' GROUP BY 1`,
      );
      const total = sizes.reduce((sum, row) => sum + Number(row['bytes']), 0);
      const bySteps = Object.fromEntries(sizes.map(row => [Number(row['step']), Number(row['bytes'])]));
      add(`PostgreSQL, ${kind}`, bySteps, (total / targets / hours) * 24);
    }
  }
  const head = ['store', 'as sampled', '5 minutes', '1 hour', 'all', 'MB per node in the end'];
  say(table(head, rows));
  say('in the end, per node: as sampled x 2.5 days + 5 minutes x 17.5 days + hours x 415 days');
}

function load(): string {
  return loadavg()
    .map(value => value.toFixed(2))
    .join(' ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
