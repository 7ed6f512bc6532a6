import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { StoreError } from '../../ports/store-error.ts';
import { openStore } from './store-client.ts';

const NOW = 1_794_772_800;
const never = (why: string): void => assert.fail(why);

describe('the store in its own thread', () => {
  it('keeps what is stored, and returns it after a restart', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-threaded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const store = await openStore({ folder, options: {} }, never);
    store.putTarget('node/a', { version: 'v1' });
    for (let i = 0; i < 100; i++) store.addSample('node/a', NOW + i * 60, { go_goroutines: i });
    store.addEvent('node/a', { at: NOW, kind: 'note', text: 'hello' });
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
      (await again.events('node/a', 0, 2 * NOW)).map(({ text }) => text),
      ['hello'],
    );
    assert.equal((await again.captures()).length, 1);
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
});
