/** A server that goes silent: packets are dropped after connecting, or connections are half open. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { DatabaseProxy } from '../../../../test/postgres/database-proxy.ts';
import type { WatchStore } from '../../ports.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../../test/postgres/postgres-server.ts';
import { EvidenceFolder } from '../evidence-folder.ts';
import { openPostgresStore } from './watch-store.ts';
import { openReplicaTables, postgresMembership, REPLICA_PATIENCE } from '../../../watch/io/postgres-membership.ts';
import { MEMBERSHIP_TIMES } from '../../../watch/replicas/ports.ts';

const MIDNIGHT = 1_794_700_800;
const PATIENCE = { urgent: 2_000, others: 4_000 };
const CONNECT_SECONDS = 2;

describe('a PostgreSQL that goes silent', { skip: postgresAbsent }, () => {
  let server: Postgres;
  let stores = 0;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.remove());

  async function through(t: TestContext): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(server);
    await proxy.listen();
    t.after(() => proxy.close());
    return proxy;
  }

  async function openStore(t: TestContext, proxy: DatabaseProxy): Promise<WatchStore> {
    const url = `${proxy.urlFor(`silent_${++stores}`)}&connect_timeout=${CONNECT_SECONDS}`;
    const files = new EvidenceFolder(mkdtempSync(join(server.folder, 'files-')));
    const store = await openPostgresStore(url, files, { shown: 'data', patience: PATIENCE });
    t.after(async () => {
      proxy.cut();
      await store.close();
    });
    return store;
  }

  /** The server may need some time to notice that a client is gone. */
  async function commitInTheEnd(store: WatchStore): Promise<void> {
    for (let attempt = 1; !(await store.commit()).committed; attempt++) assert.ok(attempt < 20, 'it never commits');
  }

  async function timesOf(store: WatchStore): Promise<number[]> {
    const query = { target: 'a', metrics: ['x'], from: 0, to: 1e12, maxPoints: Infinity };
    return (await store.query(query)).flatMap(({ times }) => [...times]);
  }

  it('fails a commit in time, takes samples meanwhile, says so, and catches up', async t => {
    const proxy = await through(t);
    const store = await openStore(t, proxy);
    store.addSample('a', MIDNIGHT, { x: 0 });
    await commitInTheEnd(store);
    proxy.isSilent = true;
    for (let round = 1; round <= 2; round++) {
      store.addSample('a', MIDNIGHT + 10 * round, { x: 1 });
      const committing = store.commit();
      assert.equal(store.addSample('a', MIDNIGHT + 10 * round + 5, { x: 2 }), true, 'while it waits');
      assert.deepEqual(await committing, { committed: false, samples: 0 }, 'while it is silent');
    }
    const { degraded, waitingSamples } = store.status();
    assert.equal(waitingSamples, 4);
    assert.match(degraded ?? '', /data: the server does not answer; check .*\. 4 samples wait in memory\.$/);
    proxy.isSilent = false;
    await commitInTheEnd(store);
    assert.equal(store.status().degraded, null);
    assert.deepEqual(
      (await timesOf(store)).map(at => at - MIDNIGHT),
      [0, 10, 15, 20, 25],
    );
  });

  it('throws away every connection of before, not only the one that was found silent', async t => {
    const proxy = await through(t);
    const store = await openStore(t, proxy);
    store.addSample('a', MIDNIGHT, { x: 0 });
    await commitInTheEnd(store);
    // Three that idle beside that of commits.
    await Promise.all([store.latest('a'), store.targets(), store.records({ kind: 'incident' })]);
    proxy.hush();
    store.addSample('a', MIDNIGHT + 10, { x: 1 });
    assert.equal((await store.commit()).committed, false, 'its connection was silent');
    const swallowed = proxy.swallowed;
    await commitInTheEnd(store);
    const found = await Promise.all([store.latest('a'), store.targets(), store.records({ kind: 'incident' })]);
    assert.equal(found[0]?.at, MIDNIGHT + 10);
    assert.equal(proxy.swallowed, swallowed, 'nothing more was asked over a silent connection');
  });

  it('a commit whose answer never comes is written once', async t => {
    const proxy = await through(t);
    const store = await openStore(t, proxy);
    store.addSample('a', MIDNIGHT, { x: 0 });
    await commitInTheEnd(store);
    // The server has the statements of the commit and holds its locks until it notices that nobody is there.
    proxy.delayMs = 300;
    store.addSample('a', MIDNIGHT + 1, { x: 1 });
    const committing = store.commit();
    await new Promise(resolve => setTimeout(resolve, 1_000));
    proxy.hush();
    proxy.delayMs = 0;
    assert.equal((await committing).committed, false);
    store.addSample('a', MIDNIGHT + 2, { x: 2 });
    await commitInTheEnd(store);
    assert.deepEqual(
      (await timesOf(store)).map(at => at - MIDNIGHT),
      [0, 1, 2],
    );
  });

  it('fails a beat before the replica has to give up, and beats on when it is back', async t => {
    const proxy = await through(t);
    const tables = await openReplicaTables(proxy.urlFor(`silent_${++stores}`));
    t.after(async () => {
      proxy.cut();
      await tables.close();
    });
    const { leaseSeconds, giveUpSeconds, beatSeconds } = MEMBERSHIP_TIMES;
    assert.ok((2 * REPLICA_PATIENCE.urgent) / 1000 + beatSeconds <= giveUpSeconds, 'there is time for another beat');
    const member = { id: 'a', session: 's', address: null, leaseSeconds, authority: 'data' };
    const membership = postgresMembership(tables.session('urgent'), member);
    assert.equal((await membership.beat()).leader?.id, 'a');
    proxy.hush();
    await assert.rejects(membership.beat(), { message: /the server does not answer; check/ });
    assert.equal((await membership.beat()).leader?.id, 'a', 'with a new connection');
    proxy.isSilent = true;
    for (let i = 0; i < 2; i++)
      await assert.rejects(membership.beat(), { message: /the server does not answer; check/ });
    proxy.isSilent = false;
    assert.equal((await membership.beat()).members[0]?.id, 'a');
  });
});
