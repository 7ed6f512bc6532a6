import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { copyKilled } from '../../../test/double/copy-killed.ts';
import { fillStore, seenIn } from '../../../test/contract/filled-store.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { EXAMPLE_KEYS } from '../../../test/double/s3-evidence.ts';
import { S3Server } from '../../../test/double/s3-server.ts';
import { Database } from '../../store/io/sqlite/database.ts';
import { run } from '../run.ts';
import { evidenceSettings } from '../connect/store-places.ts';
import { openFolderStore } from '../watch/open-store.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-store-copy-'));
after(() => rmSync(root, { recursive: true, force: true }));

async function filled(): Promise<{ readonly folder: string; readonly seen: unknown }> {
  const folder = mkdtempSync(join(root, 'data-'));
  const store = await openFolderStore(folder);
  await fillStore(store);
  const seen = await seenIn(store);
  await store.close();
  return { folder, seen };
}

async function oakum(...argv: string[]): Promise<MemoryIo & { readonly code: number }> {
  const io = memoryIo({ cwd: root, env: EXAMPLE_KEYS });
  return { ...io, code: await run(['store', ...argv], io) };
}

async function bucket(t: TestContext): Promise<{ readonly server: S3Server; readonly url: string }> {
  const server = await new S3Server().listen();
  t.after(() => server.close());
  return { server, url: `s3://${server.bucket}/copy?endpoint=${server.url}` };
}

describe('oakum store', () => {
  it('copies a data folder to another, with its profiles, and both verify alike', async () => {
    const { folder, seen } = await filled();
    const target = join(root, 'copied');
    const copied = await oakum('copy', folder, target, '-o', 'json');
    assert.equal(copied.code, 0, copied.err());
    const { tables, evidence } = JSON.parse(copied.out());
    assert.equal(tables.find((one: { table: string }) => one.table === 'events').rows, 600);
    assert.equal(evidence.files, 5);
    const verified = await Promise.all([oakum('verify', folder), oakum('verify', target)]);
    assert.equal(verified[0].out(), verified[1].out());
    assert.match(verified[0].out(), /^TABLE +ROWS +DIGEST\ntargets +12 +[0-9a-f]{16}\n/);
    assert.match(verified[0].out(), /\nprofiles: 5 \(\S+ KiB\), 0 missing, 0 damaged\n$/);
    const store = await openFolderStore(target);
    assert.deepEqual(await seenIn(store), seen);
    const [capture] = await store.records({ kind: 'capture' });
    assert.ok(await store.readProfile(capture.files[0].sha256));
    await store.close();
    const again = await oakum('copy', folder, target);
    assert.equal(again.code, 4);
    assert.match(again.err(), /copied has data already \(targets\); choose an empty place\n$/);
  });

  it('copies the profiles of a store to a bucket, which the watch then takes, and back', async t => {
    const { folder } = await filled();
    const { server, url } = await bucket(t);
    // A listing that lags does not matter.
    const settings = evidenceSettings(url, EXAMPLE_KEYS, root);
    await assert.rejects(openFolderStore(folder, {}, settings), {
      message: /^5 of 5 profiles .* copy them with oakum /,
    });
    const copied = await oakum('copy', folder, url);
    assert.equal(copied.code, 0, copied.err());
    assert.equal(server.objects.size, 5);
    assert.ok(!server.requests.some(request => request.includes('list-type')));
    await (await openFolderStore(folder, {}, settings)).close();
    rmSync(join(folder, 'blobs'), { recursive: true });
    const verified = await oakum('verify', folder);
    assert.match(verified.out(), /profiles: 5 .* 0 missing, 0 damaged\n$/, verified.err());
    const back = await oakum('copy', url, folder);
    assert.equal(back.code, 0, back.err());
    await (await openFolderStore(folder)).close();
  });

  it('names the profiles that are missing or damaged', async t => {
    const { folder } = await filled();
    const { server, url } = await bucket(t);
    await oakum('copy', folder, url);
    const [first = '', second = ''] = server.objects.keys();
    server.objects.delete(first);
    server.objects.set(second, new Uint8Array(7));
    const verified = await oakum('verify', folder, '--evidence-from', url);
    assert.equal(verified.code, 4);
    assert.match(verified.out(), /1 missing, 1 damaged\n/);
    assert.ok(verified.out().includes(`missing ${first.split('/').at(-1)}`));
    const repaired = await oakum('copy', folder, url);
    assert.equal(repaired.code, 0, repaired.err());
  });

  it('writes a profile again that was changed where it is copied to', async t => {
    const { folder } = await filled();
    const { server, url } = await bucket(t);
    await oakum('copy', folder, url);
    const [[key = '', bytes = new Uint8Array()] = []] = server.objects;
    // Its size is the same: only its hash tells.
    const changed = Uint8Array.from(bytes);
    changed[3] = (changed[3] ?? 0) ^ 1;
    server.objects.set(key, changed);
    const again = await oakum('copy', folder, url);
    assert.equal(again.code, 0, again.err());
    assert.match(again.err(), /1 profiles there are not what they should be, and are written again\n/);
    assert.match(again.out(), /profiles: 5 .* 0 missing, 0 damaged\n$/);
    assert.deepEqual(Buffer.from(server.objects.get(key) ?? []), Buffer.from(bytes));
  });

  it('finds a bit that was flipped in a row, also in a copy of it', async () => {
    const { folder } = await filled();
    const db = new Database(join(folder, 'oakum.db'));
    const { id = 0, target, step, slot, body } = db.get('SELECT * FROM chunks WHERE target = 3 LIMIT 1') ?? {};
    const flipped = Uint8Array.from(body as Uint8Array);
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    db.run('UPDATE chunks SET body = ? WHERE id = ?', [flipped, id]);
    db.run("UPDATE targets SET attributes = '{' WHERE id = 5");
    db.close();
    const problem =
      `oakum: 1 of 12 rows of targets are damaged (id 5); what is in them is left out\n` +
      `oakum: 1 of 36 rows of chunks are damaged (target ${target} step ${step} slot ${slot}); what is in them is left out\n`;
    const verified = await oakum('verify', folder);
    assert.equal(verified.code, 4);
    assert.ok(verified.err().endsWith(problem), verified.err());
    const copied = await oakum('copy', folder, join(root, 'of-damaged'), '-o', 'json');
    assert.equal(copied.code, 4);
    assert.ok(copied.err().endsWith(problem), copied.err());
    const { tables } = JSON.parse(copied.out());
    assert.equal(tables.find((one: { table: string }) => one.table === 'chunks').damagedRows, 1);
  });

  it('continues after kill -9 at any moment', async () => {
    const { folder, seen } = await filled();
    const target = join(root, 'killed');
    await copyKilled([folder, target], root);
    const last = await oakum('copy', folder, target);
    // One of them may have had the time to end.
    if (last.code !== 0) assert.match(last.err(), /killed has data already/);
    const verified = await Promise.all([oakum('verify', folder), oakum('verify', target)]);
    assert.equal(verified[1].out(), verified[0].out(), verified[1].err());
    const store = await openFolderStore(target);
    assert.deepEqual(await seenIn(store), seen);
    await store.close();
    assert.deepEqual(readdirSync(join(target, 'blobs', 'drafts')), []);
  });

  it('explains wrong arguments, and what cannot be', async () => {
    for (const [argv, code, problem] of [
      [[], 2, /store takes copy FROM TO, or verify PLACE/],
      [['copy', 'a'], 2, /store takes copy FROM TO/],
      [['copy', 's3://bucket', 's3://other'], 2, /one of both has to be a store/],
      [['copy', 's3://b', 'a'], 4, /there is no store of oakum watch in a/],
      [['copy', 'none', 'a'], 4, /there is no store of oakum watch in none/],
      [['copy', 'a', './a'], 2, /^oakum: a cannot be copied to itself\n$/],
      [['verify', 'postgres://localhost:1/x'], 4, /localhost/],
    ] as const) {
      const done = await oakum(...argv);
      assert.equal(done.code, code, `${argv.join(' ')}: ${done.err()}`);
      assert.match(done.err(), problem);
    }
  });
});
