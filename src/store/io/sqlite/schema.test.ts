import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import zlib from 'node:zlib';
import { chunkOfRows } from '../../codec/chunk.ts';
import { encodeChunk } from '../../codec/chunk-codec.ts';
import { Database } from './database.ts';
import { openFolderStore } from '../../../cli/watch/open-store.ts';
import { SCHEMA_VERSION, sqliteSteps } from '../../codec/schema-steps.ts';
import { APPLICATION_ID } from './open-watch-store.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-schema-'));
after(() => rmSync(root, { recursive: true, force: true }));

function folderWith(name: string, fill: (db: Database) => void): string {
  const folder = mkdtempSync(join(root, name));
  const db = new Database(join(folder, 'oakum.db'));
  fill(db);
  db.close();
  return folder;
}

/** As version 1 wrote it. */
function writeVersion1(db: Database): void {
  db.exec(sqliteSteps()[0]);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1`);
  db.run(`INSERT INTO targets VALUES (1, 'node/a', '{"version":"v1.36.0"}', 600, 1200)`);
  db.run(`INSERT INTO metrics VALUES (0, 'go_goroutines')`);
  const body = encodeChunk(zlib, chunkOfRows([600, 1200].map(at => ({ at, metrics: [0], values: [at / 2] }))));
  db.run('INSERT INTO chunks (target, step, slot, body) VALUES (1, 0, 0, ?)', [body]);
  db.run(`INSERT INTO events (target, at, kind, text) VALUES ('node/a', 700, 'restart', 'it was restarted')`);
  db.run(`INSERT INTO captures VALUES ('c1', 'node/a', 900, 'doubling', 'twice as many')`);
  db.run(`INSERT INTO capture_files VALUES ('c1', 0, 'heap', 901, '${'ab'.repeat(32)}', 77, NULL)`);
}

it('a store whose version is lost is damaged, and told so', async () => {
  const folder = folderWith('v0-', db => {
    writeVersion1(db);
    db.exec('PRAGMA user_version = 0');
  });
  await assert.rejects(openFolderStore(folder), { kind: 'damaged', message: /its schema has version 0/ });
  const store = await openFolderStore(folder, { setDamagedAside: true });
  assert.deepEqual(await store.targets(), []);
  await store.close();
});

it('a folder that anyone can write to is refused', async () => {
  const folder = mkdtempSync(join(root, 'open-'));
  chmodSync(folder, 0o777);
  await assert.rejects(openFolderStore(folder), { kind: 'refused', message: /anyone on this machine can write/ });
});

it('a store of version 1 is brought to this version, and nothing of it is lost', async () => {
  const folder = folderWith('v1-', writeVersion1);
  for (let turn = 0; turn < 2; turn++) {
    const store = await openFolderStore(folder);
    assert.deepEqual(await store.targets(), [
      { target: 'node/a', attributes: { version: 'v1.36.0' }, firstSeenAt: 600, lastSeenAt: 1200 },
    ]);
    const [series] = await store.query({
      target: 'node/a',
      metrics: ['go_goroutines'],
      from: 0,
      to: 2000,
      maxPoints: 100,
    });
    assert.deepEqual([...series.values], [300, 600]);
    assert.equal(
      (await store.records({ kind: 'event', target: 'node/a', since: 0, until: 1000 }))[0].text,
      'it was restarted',
    );
    const [capture] = await store.records({ kind: 'capture' });
    assert.equal(capture.processStartSeconds, undefined);
    assert.equal(capture.files[0].bytes, 77);
    await store.close();
  }
  const db = new Database(join(folder, 'oakum.db'));
  assert.equal(db.number('PRAGMA user_version'), SCHEMA_VERSION);
  db.close();
});

it('a store of a later version is refused, and left alone', async () => {
  const folder = folderWith('later-', db => {
    writeVersion1(db);
    db.exec('PRAGMA user_version = 99');
  });
  await assert.rejects(openFolderStore(folder, { shown: 'data' }), {
    kind: 'newer',
    message: `data/oakum.db was written by a later version of oakum (schema 99, this one knows ${SCHEMA_VERSION}); use that version, or choose another folder`,
  });
  const db = new Database(join(folder, 'oakum.db'));
  assert.equal(db.number('PRAGMA user_version'), 99);
  db.close();
});

it('a store of an earlier version is not migrated by whoever only reads it', async () => {
  const folder = folderWith('earlier-', writeVersion1);
  await assert.rejects(openFolderStore(folder, { shown: 'data', toRead: true }), {
    kind: 'refused',
    message: /^data\/oakum\.db was written by an earlier version of oakum \(schema 1, /,
  });
  const db = new Database(join(folder, 'oakum.db'));
  assert.equal(db.number('PRAGMA user_version'), 1);
  db.close();
});

it("another program's database is refused", async () => {
  const folder = folderWith('foreign-', db => db.exec('CREATE TABLE theirs (x)'));
  await assert.rejects(openFolderStore(folder, { shown: 'data' }), {
    kind: 'refused',
    message: 'data/oakum.db is a database of another program; choose another folder',
  });
});

it('a folder that cannot be one is told', async () => {
  writeFileSync(join(root, 'file'), '');
  await assert.rejects(openFolderStore(join(root, 'file', 'data'), { shown: 'data' }), {
    kind: 'disk',
    message: 'cannot open the store in data: a part of that path is no folder; choose another',
  });
});

it('rows of plans and of what was done with them cannot be changed, only added and deleted when they are old', () => {
  folderWith('plans-', db => {
    for (const step of sqliteSteps()) db.exec(step);
    db.run(`INSERT INTO plans VALUES ('plan-a', 'i-1', 'kim', 700, '{}')`);
    db.run(`INSERT INTO plan_records VALUES ('plan-a', 1, '{}')`);
    assert.throws(() => db.run(`UPDATE plans SET made_by = 'mallory'`), /plans are never changed/);
    assert.throws(() => db.run(`UPDATE plan_records SET body = 'x'`), /records of plans are never changed/);
    db.run('DELETE FROM plan_records');
    assert.equal(db.number('SELECT count(*) FROM plans'), 1);
  });
});
