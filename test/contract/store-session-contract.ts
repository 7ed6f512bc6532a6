/** The contract of every StoreSession. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { refuseWrites, type StoreImplementation, T0 } from './store-under-test.ts';

const NOTE = { at: T0, kind: 'note', text: 'hello' } as const;

export function storeSessionContract({ name, make, hasDisk }: StoreImplementation): void {
  describe(`StoreSession: ${name}`, () => {
    it('commits what waits, and nothing twice', async t => {
      const { store } = await make(t);
      assert.deepEqual(await store.commit(), { committed: true, samples: 0 });
      store.addSample('a', T0, { x: 1 });
      store.addSample('b', T0, { x: 1 });
      store.put({ kind: 'event', record: { target: 'a', ...NOTE } });
      assert.deepEqual(await store.commit(), { committed: true, samples: 2 });
      assert.deepEqual(await store.commit(), { committed: true, samples: 0 });
      assert.equal((await store.records({ kind: 'event', target: 'a', since: 0, until: T0 })).length, 1);
    });

    it('reports its status', async t => {
      const { store } = await make(t);
      store.addSample('a', T0, { x: 1 });
      const waiting = store.status();
      assert.deepEqual([waiting.degraded, waiting.waitingSamples, waiting.lostSamples], [null, 1, 0]);
      assert.ok(waiting.waitingBytes > 0);
      await store.commit();
      const { bytes, waitingSamples, waitingBytes } = store.status();
      assert.ok(bytes > 0);
      assert.deepEqual([waitingSamples, waitingBytes], [0, 0]);
    });

    it('can be closed twice', async t => {
      const { store } = await make(t);
      store.addSample('a', T0, { x: 1 });
      await store.close();
      await store.close();
    });

    if (!hasDisk) return;
    it('keeps what it took while the disk refuses, and commits it later', async t => {
      const made = await make(t);
      const { store } = made;
      store.addSample('a', T0, { x: 0 });
      assert.deepEqual(await store.commit(), { committed: true, samples: 1 });
      await refuseWrites(made, true);
      for (let i = 1; i <= 3; i++) {
        assert.equal(store.addSample('a', T0 + i, { x: i }), true);
        assert.equal(store.put({ kind: 'event', record: { target: 'a', ...NOTE } }), true);
        assert.deepEqual(await store.commit(), { committed: false, samples: 0 });
        assert.equal(store.status().waitingSamples, i);
        assert.match(
          store.status().degraded ?? '',
          /^Nothing can be written to data: .*\. \d samples wait in memory\.$/,
        );
      }
      assert.equal(await countOf(store, 'a'), 1, 'what was committed can be read');
      await refuseWrites(made, false);
      assert.deepEqual(await store.commit(), { committed: true, samples: 3 });
      assert.equal(store.status().degraded, null);
      assert.equal(await countOf(store, 'a'), 4);
      assert.equal((await store.records({ kind: 'event', target: 'a', since: 0, until: T0 })).length, 3);
    });

    it('takes no more than its memory allows while the disk refuses, says so, and loses nothing that it took', async t => {
      const made = await make(t, { maxWaitingBytes: 20_000 });
      const { store } = made;
      await refuseWrites(made, true);
      let taken = 0;
      for (let i = 0; i < 5000; i++) {
        if (store.addSample('a', T0 + i, { x: Math.random() })) taken++;
        if (i % 100 === 99) assert.equal((await store.commit()).committed, false);
      }
      assert.ok(taken > 300 && taken < 4000, `${taken} taken`);
      assert.equal(store.addSample('a', T0, { x: 1 }), false);
      assert.equal(store.put({ kind: 'event', record: { target: 'a', ...NOTE } }), false);
      assert.equal(
        store.put({
          kind: 'verdict-change',
          record: { at: 1, target: 'a', resource: 'goroutines', from: 'watch', to: 'leak', reason: '' },
        }),
        false,
      );
      assert.equal(
        store.put({
          kind: 'incident',
          record: { id: 'i', target: 'a', openedAt: 1, closedAt: null, version: 1, document: {} },
        }),
        false,
      );
      assert.equal(store.put({ kind: 'setting', record: { key: 'key', value: 'value' } }), false);
      const { degraded, lostSamples, waitingSamples, waitingBytes } = store.status();
      assert.deepEqual([waitingSamples, lostSamples], [taken, 5001 - taken]);
      assert.ok(waitingBytes >= 20_000 && waitingBytes < 25_000, `${waitingBytes} bytes wait`);
      assert.match(degraded ?? '', /There is no room for more: \d+ samples were lost\.$/);
      await refuseWrites(made, false);
      assert.deepEqual(await store.commit(), { committed: true, samples: taken });
      assert.equal(await countOf(store, 'a'), taken);
      assert.equal(store.addSample('a', T0 + 5000, { x: 1 }), true);
      assert.equal(store.put({ kind: 'event', record: { target: 'a', ...NOTE } }), true);
      assert.equal(store.status().degraded, null);
    });

    it('counts samples with more names than it can keep as lost, and says so', async t => {
      const { store } = await make(t);
      const names = Array.from({ length: 12_000 }, (_, i) => `m${i}`);
      for (let i = 0; i < names.length; i += 2000)
        store.addSample('a', T0 + i, Object.fromEntries(names.slice(i, i + 2000).map(metric => [metric, 1])));
      await store.commit();
      const { lostSamples, degraded } = store.status();
      assert.equal(lostSamples, 1);
      assert.match(degraded ?? '', /^Not everything is kept in data: .* metrics/);
    });
  });
}

async function countOf(store: WatchStore, target: string): Promise<number> {
  const query = { target, metrics: ['x'], from: -1e12, to: 1e12, maxPoints: Infinity };
  return (await store.query(query)).reduce((sum, { times }) => sum + times.length, 0);
}
