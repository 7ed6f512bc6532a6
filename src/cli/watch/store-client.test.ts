import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { EXAMPLE_KEYS } from '../../../test/double/s3-evidence.ts';
import { S3Server } from '../../../test/double/s3-server.ts';
import { until } from '../../../test/until.ts';
import { evidenceSettings } from '../connect/store-places.ts';
import { openStore } from './store-client.ts';
import { StoreError } from '../../store/ports.ts';
import type { NewCapture } from '../../store/records.ts';

const NOW = 1_794_772_800;
const never = (why: string): void => assert.fail(why);

describe('the store in its own thread', () => {
  it('keeps what is stored, and returns it after a restart', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-threaded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const store = await openStore({ folder, options: {} }, never);
    store.putTarget('node/a', { version: 'v1' });
    for (let i = 0; i < 100; i++) store.addSample('node/a', NOW + i * 60, { go_goroutines: i });
    store.put({ kind: 'event', record: { target: 'node/a', at: NOW, kind: 'note', text: 'hello' } });
    assert.deepEqual(await store.commit(), { committed: true, samples: 100 });
    assert.ok(store.status().bytes > 0);
    const heap = encodeText('a profile');
    const capture = await store.addCapture({
      id: 'c-1',
      target: 'node/a',
      at: NOW,
      trigger: 'slope',
      reason: 'test',
      processStartSeconds: NOW - 10,
      files: [{ kind: 'heap', at: NOW, truncated: null, bytes: heap }],
    });
    assert.deepEqual(await store.readProfile(capture.files[0].sha256), heap);
    await store.close();

    const again = await openStore({ folder, options: {} }, never);
    const parts = [];
    for await (const part of again.replay({ from: NOW - 1 })) parts.push(part);
    assert.deepEqual([...new Set(parts.map(({ target }) => target))], ['node/a']);
    for await (const part of again.replay({ from: NOW - 1 })) {
      assert.equal(part.target, 'node/a');
      break;
    }
    const [series] = await again.query({
      target: 'node/a',
      metrics: ['go_goroutines'],
      from: 0,
      to: 2 * NOW,
      maxPoints: 1000,
    });
    assert.equal(series.values.length, 100);
    assert.deepEqual(
      (await again.records({ kind: 'event', target: 'node/a', since: 0, until: 2 * NOW })).map(({ text }) => text),
      ['hello'],
    );
    assert.equal((await again.records({ kind: 'capture' })).length, 1);
    await again.close();
  });

  it('reports why it cannot be opened, as it would in this thread', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-threaded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'oakum.db'), 'no database at all, and longer than a header of one would have to be....');
    await assert.rejects(openStore({ folder, options: { shown: 'DATA' } }, never), (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.equal(error.kind, 'damaged');
      assert.match(error.message, /DATA\/oakum\.db is damaged/);
      return true;
    });
  });

  it('keeps the files of captures in a bucket, and in the folder while that does not answer', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-threaded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const server = await new S3Server().listen();
    t.after(() => server.close());
    const url = `s3://${server.bucket}/watch?endpoint=${server.url}`;
    const evidence = evidenceSettings(url, { ...EXAMPLE_KEYS, OTHER_SECRET: 'x' }, folder);
    assert.ok(!JSON.stringify(evidence).includes('OTHER_SECRET'));
    let store = await openStore({ folder, evidence, options: {} }, never);
    const first = await store.addCapture(captureOf('c-1', 'a profile'));
    assert.equal(server.objects.size, 1);
    assert.equal(store.status().degraded, null);

    // Refused for good, so that nothing waits for another try.
    server.fault = () => ({ status: 403, code: 'AccessDenied', message: 'no' });
    const second = await store.addCapture(captureOf('c-2', 'another'));
    assert.match(
      store.status().degraded ?? '',
      /^Evidence cannot be stored: s3:.*AccessDenied.* 1 files .* wait in the /,
    );
    assert.deepEqual(await store.readProfile(second.files[0].sha256), encodeText('another'));
    await store.close();
    server.fault = () => undefined;
    store = await openStore({ folder, evidence, options: {} }, never);
    await until(() => server.objects.size === 2);
    assert.deepEqual(await store.readProfile(first.files[0].sha256), encodeText('a profile'));
    assert.deepEqual(await store.readProfile(second.files[0].sha256), encodeText('another'));
    await store.close();
    await assert.rejects(openStore({ folder, options: {} }, never), {
      kind: 'refused',
      message: /^2 of 2 profiles of this store are not in the data folder but in s3:/,
    });
  });
});

function captureOf(id: string, text: string): NewCapture {
  const files = [{ kind: 'heap', at: NOW, truncated: null, bytes: encodeText(text) }] as const;
  return { id, target: 'node/a', at: NOW, trigger: 'slope', reason: '', processStartSeconds: 1, files };
}
