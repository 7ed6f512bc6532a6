/** The store on a server that crashes, refuses, is full or silent, and beside other writers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { DatabaseProxy } from '../../../../test/postgres/database-proxy.ts';
import { postgresAbsent, PostgresServer, schemaIn } from '../../../../test/postgres/postgres-server.ts';
import { inSamplingOrder } from '../../codec/scrape-batch.ts';
import type { WatchStore } from '../../ports.ts';
import { EvidenceFolder } from '../evidence-folder.ts';
import { type OpenPostgresOptions, openPostgresStore } from './watch-store.ts';

const MIDNIGHT = 1_794_700_800;
const NOTE = { at: MIDNIGHT, kind: 'note', text: 'x' } as const;

async function countOf(store: WatchStore, target: string): Promise<number> {
  const query = { target, metrics: ['x'], from: -1e12, to: 1e12, maxPoints: Infinity };
  return (await store.query(query)).reduce((sum, { times }) => sum + times.length, 0);
}

describe('a store on PostgreSQL', { skip: postgresAbsent }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await new PostgresServer().start();
  });
  after(() => server.remove());

  const open = async (t: TestContext, url: string, options: OpenPostgresOptions = {}): Promise<WatchStore> => {
    const store = await openPostgresStore(url, new EvidenceFolder(mkdtempSync(join(server.folder, 'files-'))), {
      shown: 'data',
      ...options,
    });
    t.after(() => store.close());
    return store;
  };

  it('goes on in memory while the server is down, says so, and catches up: nothing is lost or twice', async t => {
    const store = await open(t, server.newStore());
    let round = 0;
    const commitRound = async (): Promise<boolean> => {
      round++;
      for (let i = 0; i < 20; i++) store.addSample(`node/${i}`, MIDNIGHT + 60 * round, { x: round });
      store.put({ kind: 'event', record: { target: 'node/0', ...NOTE, text: String(round) } });
      const { committed } = await store.commit();
      await store.maintain(MIDNIGHT + 60 * round);
      return committed;
    };
    for (let crash = 0; crash < 3; crash++) {
      while (round < 30 * crash + 10) assert.equal(await commitRound(), true);
      await server.stop();
      for (let i = 0; i < 5; i++) assert.equal(await commitRound(), false);
      const { degraded, waitingSamples } = store.status();
      assert.equal(waitingSamples, 100);
      assert.match(degraded ?? '', /^Nothing can be written to data: .*; .*\. 100 samples wait in memory\.$/);
      await assert.rejects(store.latest('node/0'), { kind: 'unreachable', message: /^cannot read from data: / });
      await server.start();
      assert.equal(await commitRound(), true);
      assert.equal(store.status().degraded, null);
    }
    for (let i = 0; i < 20; i++) assert.equal(await countOf(store, `node/${i}`), round);
    const texts = (await store.records({ kind: 'event', target: 'node/0', since: 0 }))
      .map(({ text }) => Number(text))
      .sort((a, b) => a - b);
    assert.deepEqual(
      texts,
      Array.from({ length: round }, (_, i) => i + 1),
    );
  });

  it('writes a commit once, whether its answer or its request was lost', async t => {
    for (const loses of ['answer', 'request'] as const) {
      const wire = new DatabaseProxy(server);
      await wire.listen();
      t.after(() => wire.close());
      const url = server.newStore();
      const store = await open(t, wire.urlFor(schemaIn(url)));
      store.addSample('a', MIDNIGHT, { x: 0 });
      assert.equal((await store.commit()).committed, true);
      wire.loseCommit = loses;
      store.addSample('a', MIDNIGHT + 1, { x: 1 });
      store.put({ kind: 'event', record: { target: 'a', ...NOTE } });
      assert.equal((await store.commit()).committed, false);
      assert.equal(wire.loseCommit, undefined, 'it was lost');
      assert.equal(store.status().waitingSamples, 1);
      // What comes later does not mix with what is in doubt.
      store.addSample('a', MIDNIGHT + 2, { x: 2 });
      store.put({ kind: 'event', record: { target: 'a', ...NOTE } });
      assert.deepEqual(await store.commit(), { committed: true, samples: 2 });
      assert.equal(await countOf(store, 'a'), 3);
      assert.equal((await store.records({ kind: 'event', target: 'a', since: 0 })).length, 2);
    }
  });

  it('keeps others writing while one writes and seals: all samples are there once', async t => {
    const url = server.newStore();
    const stores = await Promise.all([open(t, url), open(t, url), open(t, url)]);
    const rounds = 90;
    await Promise.all(
      stores.map(async (store, s) => {
        for (let round = 0; round < rounds; round++) {
          // Every target is sampled by all of them, at different times.
          for (let i = 0; i < 24; i++) {
            store.putTarget(`node/${i}`, { [`by${s}`]: String(round) });
            store.addSample(`node/${i}`, MIDNIGHT + 60 * round + s, { x: round, [`only${s}`]: 1 });
          }
          assert.equal((await store.commit()).committed, true);
          await store.maintain(MIDNIGHT + 60 * round);
        }
      }),
    );
    for (const store of stores) {
      assert.equal(store.status().degraded, null);
      for (const i of [0, 7, 23]) assert.equal(await countOf(store, `node/${i}`), 3 * rounds);
      const found = (await store.targets()).find(({ target }) => target === 'node/7');
      assert.deepEqual(found?.attributes, { by0: '89', by1: '89', by2: '89' });
      const latest = await store.latest('node/3');
      assert.ok(Object.keys(latest?.values ?? {}).some(name => name.startsWith('only')));
    }
    const [{ count }] = await server.run('SELECT count(*) FROM chunks', schemaIn(url));
    assert.ok(Number(count) > 0, 'something was sealed');
    const [{ targets, names }] = await server.run(
      'SELECT count(*) AS targets, count(DISTINCT name) AS names FROM targets',
      schemaIn(url),
    );
    assert.deepEqual([targets, names], ['24', '24']);
  });

  it('puts samples of targets that are sampled together into the same rows', async t => {
    const url = server.newStore();
    const store = await open(t, url);
    const names = Array.from({ length: 320 }, (_, i) => `node/worker-${i}`);
    for (const name of names) store.putTarget(name, { version: 'v1' });
    const ordered = inSamplingOrder(names, name => name);
    for (let i = 0; i < ordered.length; i += 32) {
      for (const name of ordered.slice(i, i + 32)) store.addSample(name, MIDNIGHT, { x: 1 });
      assert.equal((await store.commit()).committed, true);
    }
    const [{ count }] = await server.run('SELECT count(*) FROM scrapes', schemaIn(url));
    assert.ok(Number(count) <= 320 / 16 + 320 / 32, `${count} rows`);
  });

  it('a database that became read-only is told, and written to once it is not', async t => {
    const url = server.newStore();
    const store = await open(t, url);
    store.addSample('a', MIDNIGHT, { x: 1 });
    await store.commit();
    const reset = async (): Promise<void> => {
      await server.run('ALTER SYSTEM RESET default_transaction_read_only');
      await server.run('SELECT pg_reload_conf()');
    };
    t.after(reset);
    await server.run('ALTER SYSTEM SET default_transaction_read_only = on');
    await server.run('SELECT pg_reload_conf()');
    // Sessions see it with their next statement.
    for (let i = 0; store.status().degraded === null; i++) {
      store.addSample('a', MIDNIGHT + i + 1, { x: 1 });
      await store.commit();
    }
    assert.match(store.status().degraded ?? '', /data: the database is read-only; connect to the primary\./);
    await reset();
    for (;;) if ((await store.commit()).committed) break;
    assert.equal(store.status().degraded, null);
  });

  it('reasons to refuse are told with what to do', async () => {
    await server.run(`CREATE ROLE weak LOGIN; CREATE ROLE kept LOGIN PASSWORD 'right'; CREATE SCHEMA foreign_one;
      CREATE TABLE foreign_one.theirs (x int); CREATE SCHEMA later; CREATE TABLE later.meta (key text, value text);
      CREATE TABLE later.writers (id int); INSERT INTO later.meta VALUES ('store.schema', '99')`);
    const files = new EvidenceFolder(mkdtempSync(join(server.folder, 'files-')));
    const base = server.urlOf('new_one');
    for (const [url, kind, message] of [
      [server.urlOf('new_one', 'weak'), 'unreachable', /the user lacks a right; grant it CREATE/],
      [server.urlOf('new_one', 'nobody_here'), 'unreachable', /the server does not let this user in/],
      [base.replace('/postgres?', '/nowhere?'), 'unreachable', /there is no such database; create it/],
      [base.replace(encodeURIComponent(server.folder), '%2Fnowhere'), 'unreachable', /no server at that socket/],
      ['postgres://127.0.0.1:1/db', 'unreachable', /nothing listens at that address/],
      [server.urlOf('foreign_one'), 'refused', /has tables of another program; choose another with \?schema=NAME/],
      [server.urlOf('later'), 'newer', /was written by a later version of oakum \(schema 99/],
    ] as const)
      await assert.rejects(openPostgresStore(url, files, { shown: 'data' }), { kind, message }, url);
    await assert.rejects(openPostgresStore(base, files, { shown: 'data', toRead: true }), {
      kind: 'refused',
      message: /there is no store of oakum watch in/,
    });
  });

  it('a server that accepts and then says nothing does not stop the watch for ever', async t => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await new Promise(resolve => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const files = new EvidenceFolder(mkdtempSync(join(server.folder, 'files-')));
    await assert.rejects(
      openPostgresStore(`postgres://127.0.0.1:${port}/db?sslmode=disable&connect_timeout=1`, files),
      {
        kind: 'unreachable',
        message: /the server does not answer/,
      },
    );
  });

  it('text with characters that PostgreSQL does not have is kept, and does not stop the rest', async t => {
    const store = await open(t, server.newStore());
    const odd = 'a\0b \ud800 "\\{},\' $1 \u{1f600}';
    store.addSample(odd, MIDNIGHT, { [odd]: 1 });
    store.put({ kind: 'event', record: { target: odd, ...NOTE, text: odd } });
    store.put({
      kind: 'incident',
      record: { id: odd, target: odd, openedAt: 1, closedAt: null, version: 1, document: { odd } },
    });
    store.put({
      kind: 'incident',
      record: { id: 'good', target: 'a', openedAt: 2, closedAt: null, version: 1e300, document: {} },
    });
    store.put({
      kind: 'incident',
      record: { id: 'after', target: 'a', openedAt: 3, closedAt: null, version: 1, document: {} },
    });
    store.put({ kind: 'setting', record: { key: 'key', value: odd } });
    assert.equal((await store.commit()).committed, true);
    assert.equal((await store.latest(odd))?.at, MIDNIGHT);
    assert.equal((await store.records({ kind: 'event', target: odd, since: 0 })).length, 1);
    assert.deepEqual(
      (await store.records({ kind: 'incident' })).map(({ id }) => id),
      ['after', odd.replace('\0', '\u2400').replace('\ud800', '\ufffd')],
    );
    assert.match(store.status().degraded ?? '', /^Not everything is kept in data: the database never takes a record/);
    const long = 'ä'.repeat(1000);
    store.addSample(long, MIDNIGHT, { [long]: 1 });
    store.put({ kind: 'event', record: { target: long, ...NOTE } });
    assert.equal((await store.commit()).committed, true);
    assert.equal((await store.latest(long))?.values[long], 1);
  });
});

describe('a full disk of the server', { skip: postgresAbsent || cannotMount() }, () => {
  it('lets samples wait, says so, and loses none when there is room again', async t => {
    const server = await new PostgresServer().start();
    const tiny = join(server.folder, 'tiny');
    mkdirSync(tiny);
    assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', tiny]).status, 0);
    t.after(async () => {
      await server.remove().catch(() => {});
      spawnSync('umount', ['-l', tiny]);
    });
    const space = join(tiny, 'space');
    mkdirSync(space);
    const { uid, gid } = statSync(join(server.folder, 'data'));
    spawnSync('chown', [`${uid}:${gid}`, space]);
    await server.run(`CREATE TABLESPACE tiny LOCATION '${space}'`);
    const url = server.urlOf('full');
    const files = new EvidenceFolder(mkdtempSync(join(server.folder, 'files-')));
    const store = await openPostgresStore(url, files, { shown: 'data' });
    t.after(() => store.close());
    await server.run('ALTER TABLE scrapes SET TABLESPACE tiny; CREATE TABLE ballast (x text) TABLESPACE tiny', 'full');
    await server.run(`INSERT INTO ballast SELECT repeat(md5(n::text), 100) FROM generate_series(1, 900) AS n`, 'full');
    let round = 0;
    const commitRound = async (): Promise<boolean> => {
      round++;
      for (let i = 0; i < 200; i++)
        store.addSample(`node/${i}`, MIDNIGHT + 60 * round, { x: Math.random(), y: Math.random() });
      return (await store.commit()).committed;
    };
    while (await commitRound()) assert.ok(round < 3000, 'the disk never filled');
    assert.match(store.status().degraded ?? '', /data: the disk of the server is full; free some space there\./);
    for (let i = 0; i < 5; i++) assert.equal(await commitRound(), false);
    await server.run('DROP TABLE ballast', 'full');
    assert.equal(await commitRound(), true);
    assert.equal(store.status().degraded, null);
    for (const i of [0, 99, 199]) assert.equal(await countOf(store, `node/${i}`), round);
  });
});

function cannotMount(): string | false {
  return process.platform === 'linux' && process.getuid?.() === 0 ? false : 'no right to mount a small file system';
}
