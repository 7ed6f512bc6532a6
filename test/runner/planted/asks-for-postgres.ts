import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedPostgres } from '../../postgres/postgres-server.ts';

it('has a database of its own', async t => {
  const [one, other] = [await sharedPostgres(), await sharedPostgres()];
  t.after(() => Promise.all([one.remove(), other.remove()]));
  await one.run('CREATE TABLE ours (x int)');
  await other.run('CREATE TABLE ours (x int)');
  assert.equal(one.folder, other.folder);
});
