import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../test/postgres/postgres-server.ts';
import { fencedTerm, openReplicaTables, replicaGroup } from './postgres-membership.ts';
import { postgresExchange } from './postgres-exchange.ts';

describe('the group of replicas', { skip: postgresAbsent }, () => {
  let server: Postgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.remove());

  it('is the same for all replicas of a store, and another for each store', async t => {
    const urls = [server.newStore(), server.newStore()];
    const databases = await Promise.all([...urls, ...urls].map(url => openReplicaTables(url)));
    t.after(() => Promise.all(databases.map(one => one.close())));
    const [a, b, again, other] = await Promise.all(databases.map(replicaGroup));
    assert.match(a, /^[0-9a-f]{8}$/);
    assert.deepEqual([a, b], [again, other]);
    assert.notEqual(a, b);
  });

  it('knows the latest term that wrote', async t => {
    const db = await openReplicaTables(server.newStore());
    t.after(() => db.close());
    assert.equal(await fencedTerm(db, 'lease'), 0);
    const exchange = postgresExchange(db, { session: 'a', authority: 'lease' });
    await exchange.lead(5).commit();
    await exchange.lead(3).commit();
    assert.deepEqual([await fencedTerm(db, 'lease'), await fencedTerm(db, 'postgres')], [5, 0]);
  });
});
