/** The store in a database, in its own thread, as `oakum watch --store` has it. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../test/postgres/postgres-server.ts';
import { encodeText } from '../../base/text.ts';
import { run } from '../run.ts';
import { openStore } from './store-client.ts';

const NOW = 1_794_772_800;
const never = (why: string): void => assert.fail(why);

describe('the store in a database', { skip: postgresAbsent }, () => {
  let server: Postgres;
  before(async () => {
    server = await sharedPostgres();
  });
  after(() => server.remove());
  const newFolder = (): string => mkdtempSync(join(server.folder, 'data-'));

  it('keeps what is stored, and returns it after a restart; profiles are in the folder', async () => {
    const settings = { folder: newFolder(), database: server.newStore(), options: {} };
    const store = await openStore(settings, never);
    for (let i = 0; i < 100; i++) store.addSample('node/a', NOW + i * 60, { go_goroutines: i });
    assert.deepEqual(await store.commit(), { committed: true, samples: 100 });
    await assert.rejects(openStore(settings, never), { kind: 'busy' });
    const heap = encodeText('a profile');
    const files = [{ kind: 'heap', at: NOW, truncated: null, bytes: heap }] as const;
    const capture = { id: 'c-1', target: 'node/a', at: NOW, trigger: 'slope', reason: '', processStartSeconds: 1 };
    const { sha256 } = (await store.addCapture({ ...capture, files })).files[0];
    await store.close();

    const again = await openStore(settings, never);
    const query = { target: 'node/a', metrics: ['go_goroutines'], from: 0, to: 2 * NOW, maxPoints: 1000 };
    assert.equal((await again.query(query))[0].values.length, 100);
    assert.deepEqual(await again.readProfile(sha256), heap);
    await again.close();
  });

  it('is read by bisect, also while the watch runs, and nothing is written', async () => {
    const database = server.newStore();
    const store = await openStore({ folder: newFolder(), database, options: {} }, never);
    store.putTarget('node/a', { version: 'v1' });
    for (let i = 0; i < 60; i++)
      store.addSample('node/a', NOW + i * 60, { go_goroutines: 100, process_start_time_seconds: 1 });
    await store.commit();
    const file = join(server.folder, 'address');
    writeFileSync(file, `${database}\n`);
    for (const option of [`--store=${database}`, `--store-file=${file}`]) {
      const io = memoryIo();
      assert.equal(await run(['bisect', option], io), 0, io.err());
    }
    await store.close();
  });

  it('says what is wrong with an address, and never shows a password', async () => {
    for (const [address, message] of [
      ['mysql://me:secret@host/db', /--store takes postgres:\/\//],
      ['postgres://me:secret@host/db?sslmode=maybe', /sslmode is one of/],
      ['postgres://me:secret@host/db?colour=red', /unknown parameter colour/],
      ['postgres://me:secret@host/db?schema=a;b', /schema takes/],
      ['postgres://me:secret@127.0.0.1:1/db', /postgres:\/\/me@127\.0\.0\.1:1\/db: nothing listens/],
    ] as const) {
      const io = memoryIo();
      assert.notEqual(await run(['bisect', `--store=${address}`], io), 0);
      assert.match(io.err(), message);
      assert.doesNotMatch(io.err() + io.out(), /secret/);
    }
  });
});
