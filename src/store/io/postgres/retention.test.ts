/** Partitions by time, and what becomes of old data. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type Postgres, postgresAbsent, schemaIn, sharedPostgres } from '../../../../test/postgres/postgres-server.ts';
import type { StoreLimits } from '../../codec/store-limits.ts';
import type { WatchStore } from '../../ports.ts';
import { EvidenceFolder } from '../evidence-folder.ts';
import { openPostgresStore } from './watch-store.ts';

const MIDNIGHT = 1_794_700_800;
const HOUR = 3_600;
const DAY = 86_400;

describe('old data in PostgreSQL', { skip: postgresAbsent }, () => {
  let server: Postgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.remove());

  const open = async (t: TestContext, url: string, limits: Partial<StoreLimits> = {}): Promise<WatchStore> => {
    const files = new EvidenceFolder(mkdtempSync(join(server.folder, 'files-')));
    const store = await openPostgresStore(url, files, { limits });
    t.after(() => store.close());
    return store;
  };

  /** A sample every five minutes, with upkeep after each three hours. */
  const record = async (store: WatchStore, from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 3 * HOUR) {
      for (let i = 0; i < 36; i++) store.addSample('a', at + 300 * i, { x: at });
      store.put({ kind: 'event', record: { target: 'a', at, kind: 'note', text: '' } });
      assert.equal((await store.commit()).committed, true);
      await store.maintain(at + 3 * HOUR - 1);
      assert.equal(store.status().degraded, null);
    }
  };

  const partitions = async (url: string): Promise<string[]> => {
    const rows = await server.run(
      `SELECT tableoid::regclass::text AS name, count(*) AS n FROM chunks GROUP BY 1 ORDER BY 1`,
      schemaIn(url),
    );
    return rows.map(row => `${String(row['name'])} ${String(row['n'])}`);
  };

  it('goes with its partition, and everything that is kept can be read', async t => {
    const url = server.newStore();
    const store = await open(t, url, { rawDays: 1, fiveMinuteDays: 3, hourDays: 400, recordDays: 2 });
    await record(store, MIDNIGHT, MIDNIGHT + 9 * DAY);
    const found = await partitions(url);
    assert.ok(!found.some(name => name.includes('other')), `all have a partition: ${found.join(', ')}`);
    const days = found.filter(name => name.startsWith('chunks_0_p')).length;
    assert.ok(days >= 2 && days <= 3, `${days} days as sampled`);
    const first = async (maxPoints: number): Promise<number | undefined> => {
      const query = { target: 'a', metrics: ['x'], from: 0, to: 2 * MIDNIGHT, maxPoints };
      return (await store.query(query))[0]?.times[0];
    };
    assert.ok(((await first(Infinity)) ?? Infinity) < MIDNIGHT + HOUR, 'hours go back to the beginning');
    const events = await store.records({ kind: 'event', target: 'a', since: 0, until: 2 * MIDNIGHT });
    assert.ok((events[0]?.at ?? 0) >= MIDNIGHT + 6.9 * DAY && events.length >= 15, `${events.length} events`);
    assert.equal((await store.targets()).length, 1);
  });

  it('moves into its partition if it was there before it', async t => {
    const url = server.newStore();
    const store = await open(t, url, { rawDays: 30 });
    // Late by two weeks: its partitions are not prepared.
    const late = MIDNIGHT - 14 * DAY;
    for (let i = 0; i < 100; i++) store.addSample('a', late + 60 * i, { x: i });
    await store.commit();
    await store.maintain(MIDNIGHT);
    const query = { target: 'a', metrics: ['x'], from: 0, to: 2 * MIDNIGHT, maxPoints: Infinity };
    assert.equal((await store.query(query))[0]?.times.length, 100);
    const before = await partitions(url);
    assert.ok(
      before.some(name => name.startsWith('chunks_0_other')),
      before.join(', '),
    );
    await store.close();
    // Another process, whose clock is there.
    await server.run(`DELETE FROM meta WHERE key = 'store.clock'`, schemaIn(url));
    const again = await open(t, url, { rawDays: 30 });
    await again.maintain(late + DAY / 2);
    assert.ok(!(await partitions(url)).some(name => name.includes('other')), (await partitions(url)).join(', '));
    assert.equal((await again.query(query))[0]?.times.length, 100);
  });

  it('stays if the clock jumps ahead by a year', async t => {
    const url = server.newStore();
    const store = await open(t, url, { rawDays: 1, fiveMinuteDays: 1, hourDays: 1, recordDays: 1 });
    await record(store, MIDNIGHT, MIDNIGHT + 6 * HOUR);
    await store.maintain(MIDNIGHT + 365 * DAY);
    await store.maintain(MIDNIGHT + 365 * DAY + HOUR);
    assert.equal((await store.records({ kind: 'event', target: 'a', since: 0, until: 2 * MIDNIGHT })).length, 2);
    const query = { target: 'a', metrics: ['x'], from: 0, to: 2 * MIDNIGHT, maxPoints: Infinity };
    assert.equal((await store.query(query))[0]?.times.length, 72);
  });

  it('a target without data is forgotten, and comes back with another number', async t => {
    const url = server.newStore();
    const store = await open(t, url, { rawDays: 1, fiveMinuteDays: 1, hourDays: 1, recordDays: 1 });
    for (let i = 0; i < 100; i++) store.addSample('gone', MIDNIGHT + 60 * i, { x: i });
    await store.commit();
    await store.maintain(MIDNIGHT);
    store.addSample('few', MIDNIGHT, { x: 1 });
    await store.commit();
    await server.run(`UPDATE scrapes SET added_at = now() - interval '2 days'`, schemaIn(url));
    await server.run(`UPDATE targets SET named_at = now() - interval '2 days'`, schemaIn(url));
    for (let day = 1; day <= 25; day++) {
      store.addSample('stays', MIDNIGHT + day * DAY, { x: day });
      await store.commit();
      await store.maintain(MIDNIGHT + day * DAY);
      await store.maintain(MIDNIGHT + day * DAY + 12 * HOUR);
    }
    assert.deepEqual(
      (await store.targets()).map(({ target }) => target),
      ['stays'],
    );
    store.addSample('gone', MIDNIGHT + 26 * DAY, { x: 1 });
    assert.equal((await store.commit()).committed, true);
    assert.deepEqual(await store.latest('gone'), { at: MIDNIGHT + 26 * DAY, values: { x: 1 } });
  });
});
