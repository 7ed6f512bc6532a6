/** Rows can be copied between any two databases, stopped at any point, and then every reader sees the same. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import zlib from 'node:zlib';
import { EvidenceFolder } from '../../src/store/io/evidence-folder.ts';
import { openPostgresStore } from '../../src/store/io/postgres/watch-store.ts';
import { openPostgresRows } from '../../src/store/io/postgres/store-rows.ts';
import { openSqliteRows } from '../../src/store/io/sqlite/store-rows.ts';
import { openWatchStore } from '../../src/store/io/sqlite/open-watch-store.ts';
import { compareRows, copyRows, endCopy } from '../../src/store/copy-store.ts';
import { wholeRows } from '../../src/store/table-digest.ts';
import type { StoreRows, WatchStore } from '../../src/store/ports.ts';
import { STORE_TABLES } from '../../src/store/tables.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../postgres/postgres-server.ts';
import { fillStore, seenIn } from './filled-store.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-rows-'));
after(() => rmSync(root, { recursive: true, force: true }));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const isWhole = wholeRows(zlib);
const quiet = (): void => {};

interface Engine {
  readonly name: string;
  readonly skip: string | false;
  place(): string;
  store(place: string): Promise<WatchStore>;
  rows(place: string, toRead: boolean): Promise<StoreRows>;
}

let server: Postgres;
before(async () => {
  if (postgresAbsent === false) server = await sharedPostgres();
});
after(() => (postgresAbsent === false ? server.remove() : undefined));

const evidence = (): EvidenceFolder => new EvidenceFolder(mkdtempSync(join(root, 'blobs-')));
const ENGINES: readonly Engine[] = [
  {
    name: 'SQLite',
    skip: false,
    place: () => mkdtempSync(join(root, 'data-')),
    store: place => openWatchStore(place, new EvidenceFolder(join(root, 'shared-blobs'))),
    rows: (place, toRead) => openSqliteRows(place, place, toRead),
  },
  {
    name: 'PostgreSQL',
    skip: postgresAbsent,
    place: () => server.newStore(),
    store: place => openPostgresStore(place, new EvidenceFolder(join(root, 'shared-blobs'))),
    rows: openPostgresRows,
  },
];

/** Fails at the given write, as a kill would end it: before it happened. */
function killedAt(rows: StoreRows, writes: number): StoreRows {
  let left = writes;
  return {
    shown: rows.shown,
    id: rows.id,
    read: (...args) => rows.read(...args),
    setting: key => rows.setting(key),
    finish: () => rows.finish(),
    close: () => rows.close(),
    write: async (...args) => {
      if (left-- === 0) throw new Error('killed');
      await rows.write(...args);
    },
  };
}

for (const from of ENGINES)
  for (const to of ENGINES)
    describe(`rows from ${from.name} to ${to.name}`, { skip: from.skip || to.skip }, () => {
      it('are the same, for every reader, wherever it was stopped; and the copy can be written to', async t => {
        const source = from.place();
        let store = await from.store(source);
        await fillStore(store);
        const seen = await seenIn(store);
        await store.close();
        const target = to.place();
        const reading = await from.rows(source, true);
        t.after(() => reading.close());
        let [writing, kills] = [await to.rows(target, false), 0];
        for (let isDone = false; !isDone;) {
          try {
            await copyRows(reading, killedAt(writing, 1 + (kills % 3)), quiet);
            isDone = true;
          } catch (error) {
            assert.equal((error as Error).message, 'killed');
            kills++;
            await writing.close();
            if (kills === 2)
              await assert.rejects(to.store(target), { kind: 'refused', message: /is an unfinished copy/ });
            writing = await to.rows(target, false);
          }
        }
        assert.ok(kills > 5, `${kills} kills`);
        const tables = await compareRows(reading, writing, sha256, isWhole);
        assert.equal(tables.length, STORE_TABLES.length);
        for (const name of ['targets', 'metrics', 'chunks', 'events', 'captures', 'capture_files', 'meta'])
          assert.ok((tables.find(({ table }) => table === name)?.rows ?? 0) > 0, name);
        await endCopy(writing);
        await writing.close();
        store = await to.store(target);
        assert.deepEqual(await seenIn(store), seen);
        store.putTarget('node/new', {});
        store.addSample('node/new', 1_794_800_000, { another_metric: 1 });
        store.put({
          kind: 'event',
          record: { target: 'node/new', at: 1_794_800_000, kind: 'note', text: 'after the copy' },
        });
        assert.equal((await store.commit()).committed, true, store.status().degraded ?? '');
        assert.equal((await store.targets()).length, 13);
        await store.close();
      });
    });

describe('a copy', () => {
  const [sqlite] = ENGINES;
  assert.ok(sqlite !== undefined);

  it('is refused where something else is, or half of another copy', async t => {
    const [one, two, target] = [sqlite.place(), sqlite.place(), sqlite.place()];
    for (const place of [one, two]) {
      const store = await sqlite.store(place);
      store.put({ kind: 'event', record: { target: 'a', at: 1, kind: 'note', text: place } });
      await store.close();
    }
    const [first, second] = [await sqlite.rows(one, true), await sqlite.rows(two, false)];
    t.after(() => Promise.all([first.close(), second.close()]));
    await assert.rejects(copyRows(first, second, quiet), {
      message: /has data already \(events\); choose an empty place$/,
    });
    const writing = await sqlite.rows(target, false);
    t.after(() => writing.close());
    await assert.rejects(copyRows(first, killedAt(writing, 3), quiet), { message: 'killed' });
    await assert.rejects(copyRows(second, writing, quiet), { message: /is an unfinished copy of .*, not of / });
    await copyRows(first, writing, quiet);
  });

  it('that differs at the end says in which table', async t => {
    const [one, target] = [sqlite.place(), sqlite.place()];
    await (await sqlite.store(one)).close();
    const [first, writing] = [await sqlite.rows(one, true), await sqlite.rows(target, false)];
    t.after(() => Promise.all([first.close(), writing.close()]));
    await copyRows(first, writing, quiet);
    const events = STORE_TABLES.find(({ name }) => name === 'events');
    await writing.write(events, [[1, 'a', 1, 'note', 'more']], {});
    await assert.rejects(compareRows(first, writing, sha256, isWhole), { message: / differs from .* in events: / });
  });

  it('of a store that a watch has open is refused', async () => {
    const place = sqlite.place();
    const store = await openWatchStore(place, evidence());
    await assert.rejects(sqlite.rows(place, true), { kind: 'busy', message: /is in use by process \d+; stop it/ });
    await store.close();
    await assert.rejects(sqlite.rows(join(root, 'none'), true), {
      kind: 'refused',
      message: /there is no store of oakum/,
    });
  });
});
