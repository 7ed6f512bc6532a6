/** `oakum store` with a real PostgreSQL. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fillStore, seenIn } from '../../../test/contract/filled-store.ts';
import { copyKilled } from '../../../test/double/copy-killed.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../test/postgres/postgres-server.ts';
import { run } from '../run.ts';
import { openFolderStore } from '../watch/open-store.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-store-postgres-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('oakum store with PostgreSQL', { skip: postgresAbsent }, () => {
  let server: Postgres;
  let folder: string;
  let seen: unknown;
  before(async () => {
    server = await sharedPostgres();
    folder = join(root, 'data');
    const store = await openFolderStore(folder);
    await fillStore(store);
    seen = await seenIn(store);
    await store.close();
  });
  after(() => server.remove());

  async function oakum(...argv: string[]): Promise<MemoryIo & { readonly code: number }> {
    const io = memoryIo({ cwd: root, env: {} });
    return { ...io, code: await run(['store', ...argv], io) };
  }

  it('copies there and back through kill -9 at any moment, and every digest is the same', async () => {
    const [database, back] = [server.newStore(), join(root, 'back')];
    await copyKilled([folder, database, '--evidence-to', 'profiles'], root);
    const there = await oakum('copy', folder, database, '--evidence-to', 'profiles');
    if (there.code !== 0) assert.match(there.err(), /has data already/);
    await copyKilled([database, back, '--evidence-from', 'profiles'], root);
    const home = await oakum('copy', database, back, '--evidence-from', 'profiles');
    if (home.code !== 0) assert.match(home.err(), /has data already/);
    const [first, second, third] = [
      await oakum('verify', folder),
      await oakum('verify', database, '--evidence-from', 'profiles'),
      await oakum('verify', back),
    ];
    assert.equal(first.code, 0, first.err());
    assert.equal(second.out(), first.out(), second.err());
    assert.equal(third.out(), first.out(), third.err());
    const store = await openFolderStore(back);
    assert.deepEqual(await seenIn(store), seen);
    await store.close();
  });

  it('says which profiles stay, and asks where they are before it copies anything', async () => {
    const database = server.newStore();
    const there = await oakum('copy', folder, database);
    assert.equal(there.code, 0, there.err());
    assert.match(there.out(), /\nprofiles: 5 stay where they are; --evidence-to copies them\n$/);
    const question = /^oakum: the profiles of postgres:.* are in a data folder: name it with --evidence-from DIR\n$/;
    const back = await oakum('copy', database, 'unasked');
    assert.equal(back.code, 2);
    assert.match(back.err(), question);
    assert.ok(!existsSync(join(root, 'unasked')), 'nothing was copied');
    const verified = await oakum('verify', database);
    assert.deepEqual([verified.code, verified.out()], [2, '']);
    assert.match(verified.err(), question);
  });

  it('tells the schemas of a database apart, and a store from itself', async () => {
    const [one, other] = [server.newStore(), server.newStore()];
    assert.equal((await oakum('copy', folder, one)).code, 0);
    const itself = await oakum('copy', one, `${one}&connect_timeout=9`);
    assert.deepEqual([itself.code, /schema=store_\d+ cannot be copied to itself\n$/.test(itself.err())], [2, true]);
    const copied = await oakum('copy', one, other);
    assert.equal(copied.code, 0, copied.err());
    const again = await oakum('copy', folder, other);
    assert.match(again.err(), new RegExp(`schema=${other.split('schema=')[1]} has data already \\(targets\\)`));
  });

  it('never shows a password', async () => {
    const secret = 'pass-word-of-the-test';
    for (const argv of [
      ['verify', `postgres://nobody:${secret}@127.0.0.1:1/db`],
      ['verify', server.newStore().replace('oakum@', `oakum:${secret}@`)],
      ['copy', folder, server.newStore().replace('oakum@', `nobody:${secret}@`)],
      ['copy', folder, `postgres://oakum:${secret}@127.0.0.1:1/db?sslmode=never`],
      ['copy', folder, `postgres://oakum:${secret}@[:1/db`],
    ]) {
      const done = await oakum(...argv, '-o', 'json');
      assert.notEqual(done.code, 0);
      assert.ok(!(done.out() + done.err()).includes(secret), done.err());
      assert.ok(done.err().trim().split('\n').length <= 2, done.err());
    }
    const database = server.newStore().replace('oakum@', `oakum:${secret}@`);
    const copied = await oakum('copy', folder, database, '-o', 'json');
    assert.equal(copied.code, 0, copied.err());
    assert.ok(!(copied.out() + copied.err()).includes(secret), copied.out());
  });
});
