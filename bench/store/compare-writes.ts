/**
 * Two ways to write the scrapes of a round, side by side on one server, commit after commit in turn: COPY, as the store
 * does, and an INSERT with all bodies as one parameter.
 */
import zlib from 'node:zlib';
import { Database, type Transaction } from '../../src/store/io/postgres/database.ts';
import { inPieces, packBodies } from '../../src/store/io/postgres/record-tables.ts';
import type { ScrapeRow } from '../../src/store/io/postgres/pending-writes.ts';
import { parseStoreUrl } from '../../src/store/io/postgres/store-url.ts';
import { saveScrapes } from '../../src/store/io/postgres/commits.ts';
import { GROUP_SIZE, ScrapeBatch } from '../../src/store/codec/scrape-batch.ts';
import type { PostgresServer } from '../../test/postgres/postgres-server.ts';
import { table } from '../table.ts';
import { MadeTarget, VALUES_PER_SAMPLE } from './samples.ts';
import { processCpuSeconds } from './server-cpu.ts';

const ROUNDS = 8;
const ROUND_SECONDS = 60;

type Way = (session: Transaction, scrapes: readonly ScrapeRow[]) => Promise<void>;

const WAYS: ReadonlyMap<string, Way> = new Map([
  ['COPY', saveScrapes],
  ['one parameter', insertPacked],
]);

async function insertPacked(session: Transaction, scrapes: readonly ScrapeRow[]): Promise<void> {
  for (const piece of inPieces(scrapes, ({ body }) => body.length)) {
    const { bytes, begins, lengths } = packBodies(piece.map(({ body }) => body));
    await session.all(
      `INSERT INTO scrapes (target_group, sample_count, body)
       SELECT target_group, sample_count, substring($5::bytea FROM begins FOR length)
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS given (target_group, sample_count, begins, length)`,
      [piece.map(({ group }) => group), piece.map(({ sampleCount }) => sampleCount), begins, lengths, bytes],
    );
  }
}

interface Spent {
  wallSeconds: number;
  ownCpuSeconds: number;
  serverCpuSeconds: number;
}

/** So many values are written each way, for each number of targets. */
export async function compareWrites(
  server: PostgresServer,
  schema: string,
  targetCounts: readonly number[],
  valuesEach: number,
): Promise<string> {
  const rows: string[][] = [];
  for (const targets of targetCounts) {
    const rounds = madeRounds(targets);
    const perRound = targets * VALUES_PER_SAMPLE;
    const commits = Math.max(4, Math.ceil(valuesEach / perRound));
    const spent = await spentOn(server, schema, rounds, commits);
    for (const [name, { wallSeconds, ownCpuSeconds, serverCpuSeconds }] of spent) {
      const perCommit = (seconds: number): string => `${((1000 * seconds) / commits).toFixed(2)} ms`;
      rows.push([
        targets.toLocaleString('en'),
        name,
        String(commits),
        Math.round((perRound * commits) / wallSeconds).toLocaleString('en'),
        perCommit(wallSeconds),
        perCommit(ownCpuSeconds),
        perCommit(serverCpuSeconds),
      ]);
    }
  }
  return table(['targets', 'way', 'commits', 'values/s', 'wall/commit', 'own CPU', 'server CPU'], rows);
}

async function spentOn(
  server: PostgresServer,
  schema: string,
  rounds: readonly (readonly ScrapeRow[])[],
  commits: number,
): Promise<ReadonlyMap<string, Spent>> {
  const writers = new Map<string, { readonly db: Database; readonly pid: number; readonly spent: Spent }>();
  for (const name of WAYS.keys()) {
    const db = await Database.open(parseStoreUrl(server.urlOf(schema)), false);
    const [row] = await db.transaction(session => session.all('SELECT pg_backend_pid() AS pid'), { lane: 'urgent' });
    const spent = { wallSeconds: 0, ownCpuSeconds: 0, serverCpuSeconds: 0 };
    writers.set(name, { db, pid: Number(row?.['pid']), spent });
  }
  await server.run('TRUNCATE scrapes', schema);
  // The first of each way is not counted.
  for (let commit = -1; commit < commits; commit++) {
    for (const [name, write] of inTurn(WAYS, commit)) {
      const { db, pid, spent } = writers.get(name) ?? missing(name);
      const scrapes = rounds[(commit + ROUNDS) % ROUNDS] ?? [];
      const before = { wall: performance.now(), cpu: process.cpuUsage(), server: processCpuSeconds(pid) };
      await db.transaction(session => write(session, scrapes), { lane: 'urgent' });
      if (commit < 0) continue;
      const { user, system } = process.cpuUsage(before.cpu);
      spent.wallSeconds += (performance.now() - before.wall) / 1000;
      spent.ownCpuSeconds += (user + system) / 1e6;
      spent.serverCpuSeconds += processCpuSeconds(pid) - before.server;
    }
    if (commit % 20 === 19) await server.run('TRUNCATE scrapes', schema);
  }
  for (const { db } of writers.values()) await db.close();
  return new Map([...writers].map(([name, { spent }]) => [name, spent]));
}

/** Whoever comes second finds a disk that is busy with the first: they take turns. */
function inTurn<T>(ways: ReadonlyMap<string, T>, turn: number): [string, T][] {
  return turn % 2 === 0 ? [...ways] : [...ways].reverse();
}

/** Rounds of samples as a store encodes them. */
function madeRounds(targets: number): readonly (readonly ScrapeRow[])[] {
  const made = Array.from({ length: targets }, (_, i) => new MadeTarget(i, 0));
  return Array.from({ length: ROUNDS }, (_, round) => {
    const scrapes: ScrapeRow[] = [];
    for (let first = 0; first < targets; first += GROUP_SIZE) {
      const batch = new ScrapeBatch();
      made.slice(first, first + GROUP_SIZE).forEach((target, seat) => {
        const values = Object.values(target.next());
        batch.add(seat, ROUND_SECONDS * round, [...values.keys()], values);
      });
      scrapes.push({ group: first / GROUP_SIZE, sampleCount: batch.sampleCount, body: batch.encode(zlib) });
    }
    return scrapes;
  });
}

function missing(name: string): never {
  throw new Error(name);
}
