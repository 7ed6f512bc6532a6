/**
 * The past of some targets in a store of many: of those alone, and by reading everything and leaving out the rest.
 *
 *     chunks     as made-past.ts makes them
 *     scrapes    added and committed, not sealed yet
 */
import { join } from 'node:path';
import { EvidenceFolder } from '../../src/store/io/evidence-folder.ts';
import { openPostgresRows } from '../../src/store/io/postgres/store-rows.ts';
import { openPostgresStore } from '../../src/store/io/postgres/watch-store.ts';
import { openSqliteRows } from '../../src/store/io/sqlite/store-rows.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import type { PostgresServer } from '../../test/postgres/postgres-server.ts';
import { table } from '../table.ts';
import { fillPast, type MadePast, nodeName } from './made-past.ts';
import { MadeTarget } from './samples.ts';
import { serverCpuSeconds } from './server-cpu.ts';

export interface PastSize extends MadePast {
  readonly wanted: number;
  readonly unsealedRounds: number;
}

const RUNS = 3;

export async function comparePast(folder: string, server: PostgresServer | undefined, size: PastSize): Promise<string> {
  const rows: string[][] = [];
  const path = join(folder, 'past');
  await fillPast(await openSqliteRows(path, path, false), size);
  rows.push(...(await measure('SQLite', await openFolderStore(path), size, () => 0)));
  if (server !== undefined) {
    const open = (): Promise<WatchStore> =>
      openPostgresStore(server.urlOf('past'), new EvidenceFolder(join(folder, 'files')));
    // Opened once before: that makes the partitions.
    const made = await open();
    await made.maintain(size.midnight);
    await made.close();
    await fillPast(await openPostgresRows(server.urlOf('past'), false), size);
    await server.run('VACUUM ANALYZE');
    rows.push(...(await measure('PostgreSQL', await open(), size, () => serverCpuSeconds(server.pid))));
  }
  return table(['store', 'read', 'wall', 'own CPU', 'server CPU', 'parts'], rows);
}

async function measure(name: string, store: WatchStore, size: PastSize, serverCpu: () => number): Promise<string[][]> {
  await addUnsealed(store, size);
  const every = Math.floor(size.targets / size.wanted);
  const only = Array.from({ length: size.wanted }, (_, i) => nodeName(i * every));
  const wanted = new Set(only);
  const from = size.midnight - 86_400 * size.days;
  const rows: string[][] = [];
  const ways = [
    [`everything, ${size.wanted} of ${size.targets} kept`, undefined],
    [`${size.wanted} of ${size.targets}`, only],
  ] as const;
  for (const [what, targets] of ways) {
    const runs = [];
    for (let run = 0; run < RUNS; run++) {
      const before = { wall: performance.now(), cpu: process.cpuUsage(), server: serverCpu() };
      let parts = 0;
      const query = targets === undefined ? { from } : { from, targets };
      for await (const part of store.replay(query)) if (wanted.has(part.target)) parts++;
      const { user, system } = process.cpuUsage(before.cpu);
      runs.push({
        wall: (performance.now() - before.wall) / 1000,
        own: (user + system) / 1e6,
        server: serverCpu() - before.server,
        parts,
      });
    }
    const [, middle = runs[0]] = runs.sort((a, b) => a.own - b.own);
    const text = (seconds: number): string => `${seconds.toFixed(2)} s`;
    if (middle !== undefined)
      rows.push([name, what, text(middle.wall), text(middle.own), text(middle.server), String(middle.parts)]);
  }
  await store.close();
  return rows;
}

async function addUnsealed(store: WatchStore, { targets, unsealedRounds, midnight }: PastSize): Promise<void> {
  const made = Array.from({ length: targets }, (_, i) => new MadeTarget(i, midnight));
  for (let round = 0; round < unsealedRounds; round++) {
    for (const [i, target] of made.entries()) store.addSample(nodeName(i), midnight + 60 * round, target.next());
    if (!(await store.commit()).committed) throw new Error(store.status().degraded ?? 'not committed');
  }
}
