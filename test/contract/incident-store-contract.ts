/** Events, verdict changes and incidents in every RecordStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import type { StoredIncident, StoredVerdictChange } from '../../src/store/records.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';
import type { RecordStore } from '../../src/store/ports.ts';

const CHANGE = { target: 'a', resource: 'live heap', from: 'healthy', to: 'watch', reason: 'it grows' } as const;
const INCIDENT: StoredIncident = { id: 'i1', target: 'a', openedAt: 5, closedAt: null, version: 1, document: {} };

export function incidentStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`RecordStore: ${name}`, () => {
    it('returns events of a target in time order, once they are committed', async t => {
      const { store } = await make(t);
      assert.equal(
        store.put({ kind: 'event', record: { target: 'a', at: 20, kind: 'restart', text: 'second' } }),
        true,
      );
      store.put({ kind: 'event', record: { target: 'a', at: 10, kind: 'oom', text: 'first\u0007 ä' } });
      store.put({ kind: 'event', record: { target: 'a', at: 30, kind: 'note', text: 'third' } });
      store.put({ kind: 'event', record: { target: 'b', at: 15, kind: 'note', text: 'of another' } });
      assert.deepEqual(await store.records({ kind: 'event', target: 'a', since: 0, until: 100 }), []);
      await store.commit();
      assert.deepEqual(await store.records({ kind: 'event', target: 'a', since: 10, until: 20 }), [
        { target: 'a', at: 10, kind: 'oom', text: 'first\u0007 ä' },
        { target: 'a', at: 20, kind: 'restart', text: 'second' },
      ]);
      assert.deepEqual(await store.records({ kind: 'event', target: 'c', since: 0, until: 100 }), []);
      assert.deepEqual(await store.records({ kind: 'event', event: 'note', since: 0, until: 100 }), [
        { target: 'b', at: 15, kind: 'note', text: 'of another' },
        { target: 'a', at: 30, kind: 'note', text: 'third' },
      ]);
      assert.deepEqual(await store.records({ kind: 'event', event: 'note', since: 16, until: 29 }), []);
      assert.deepEqual(
        await store.records({ kind: 'event', event: 'note', target: ['none', 'b', 'b'], since: 0, until: 100 }),
        [{ target: 'b', at: 15, kind: 'note', text: 'of another' }],
      );
      assert.equal(
        (await store.records({ kind: 'event', event: 'note', target: ['a', 'b'], since: 0, until: 100 }))[0]?.target,
        'b',
        'in time order',
      );
      assert.deepEqual(await store.records({ kind: 'event', event: 'note', target: [], since: 0, until: 100 }), []);
    });

    it('returns verdict changes of one target or of all, in time order', async t => {
      const { store } = await make(t);
      const later: StoredVerdictChange = { ...CHANGE, at: 31, target: 'b' };
      assert.equal(store.put({ kind: 'verdict-change', record: later }), true);
      store.put({ kind: 'verdict-change', record: { ...CHANGE, at: 30 } });
      await store.commit();
      assert.deepEqual(await store.records({ kind: 'verdict-change', since: 0, until: 30 }), [{ ...CHANGE, at: 30 }]);
      assert.deepEqual(await store.records({ kind: 'verdict-change', since: 0, until: 100 }), [
        { ...CHANGE, at: 30 },
        later,
      ]);
      assert.deepEqual(await store.records({ kind: 'verdict-change', target: 'b', since: 0, until: 100 }), [later]);
    });

    it('keeps the last version of each incident, as it was stored', async t => {
      const { store } = await make(t);
      const document = { text: 'ä', list: [1] };
      assert.equal(store.put({ kind: 'incident', record: { ...INCIDENT, document: { text: 'older' } } }), true);
      store.put({ kind: 'incident', record: { ...INCIDENT, closedAt: 9, version: 2, document } });
      store.put({ kind: 'incident', record: { ...INCIDENT, id: 'i2', openedAt: 7 } });
      document.list.push(2);
      assert.deepEqual(await store.records({ kind: 'incident' }), []);
      await store.commit();
      const first = { ...INCIDENT, closedAt: 9, version: 2, document: { text: 'ä', list: [1] } };
      assert.deepEqual(await store.records({ kind: 'incident' }), [{ ...INCIDENT, id: 'i2', openedAt: 7 }, first]);
      assert.deepEqual((await store.records({ kind: 'incident', id: 'i1' }))[0], first);
      assert.equal((await store.records({ kind: 'incident', id: 'none' }))[0], undefined);
    });

    if (!isLasting) return;
    it('still has them after a restart', async t => {
      const made = await make(t);
      const { store } = made;
      store.put({ kind: 'event', record: { target: 'a', at: 20, kind: 'restart', text: 'x' } });
      store.put({ kind: 'verdict-change', record: { ...CHANGE, at: 30 } });
      store.put({ kind: 'incident', record: INCIDENT });
      const found = async (from: RecordStore): Promise<unknown[]> => [
        await from.records({ kind: 'event', target: 'a', since: 0, until: 100 }),
        await from.records({ kind: 'verdict-change', since: 0, until: 100 }),
        await from.records({ kind: 'incident' }),
      ];
      await store.commit();
      const before = await found(store);
      assert.deepEqual(await found(await reopened(made)), before);
    });
  });
}
