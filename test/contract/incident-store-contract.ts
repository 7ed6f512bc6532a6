/** The contract of every IncidentStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import type { StoredIncident, StoredVerdictChange } from '../../src/store/records.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';
import type { IncidentStore } from '../../src/store/ports.ts';

const CHANGE = { target: 'a', resource: 'live heap', from: 'healthy', to: 'watch', reason: 'it grows' } as const;
const INCIDENT: StoredIncident = { id: 'i1', target: 'a', openedAt: 5, closedAt: null, version: 1, document: {} };

export function incidentStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`IncidentStore: ${name}`, () => {
    it('returns events of a target in time order, once they are committed', async t => {
      const { store } = await make(t);
      assert.equal(store.addEvent('a', { at: 20, kind: 'restart', text: 'second' }), true);
      store.addEvent('a', { at: 10, kind: 'oom', text: 'first\u0007 ä' });
      store.addEvent('a', { at: 30, kind: 'note', text: 'third' });
      store.addEvent('b', { at: 15, kind: 'note', text: 'of another' });
      assert.deepEqual(await store.events('a', 0, 100), []);
      await store.commit();
      assert.deepEqual(await store.events('a', 10, 20), [
        { at: 10, kind: 'oom', text: 'first\u0007 ä' },
        { at: 20, kind: 'restart', text: 'second' },
      ]);
      assert.deepEqual(await store.events('c', 0, 100), []);
      assert.deepEqual(await store.eventsOfKind('note', 0, 100), [
        { target: 'b', at: 15, kind: 'note', text: 'of another' },
        { target: 'a', at: 30, kind: 'note', text: 'third' },
      ]);
      assert.deepEqual(await store.eventsOfKind('note', 16, 29), []);
      assert.deepEqual(await store.eventsOfKind('note', 0, 100, ['none', 'b', 'b']), [
        { target: 'b', at: 15, kind: 'note', text: 'of another' },
      ]);
      assert.equal((await store.eventsOfKind('note', 0, 100, ['a', 'b']))[0]?.target, 'b', 'in time order');
      assert.deepEqual(await store.eventsOfKind('note', 0, 100, []), []);
    });

    it('returns verdict changes of one target or of all, in time order', async t => {
      const { store } = await make(t);
      const later: StoredVerdictChange = { ...CHANGE, at: 31, target: 'b' };
      assert.equal(store.addVerdictChange(later), true);
      store.addVerdictChange({ ...CHANGE, at: 30 });
      await store.commit();
      assert.deepEqual(await store.verdictChanges(0, 30), [{ ...CHANGE, at: 30 }]);
      assert.deepEqual(await store.verdictChanges(0, 100), [{ ...CHANGE, at: 30 }, later]);
      assert.deepEqual(await store.verdictChanges(0, 100, 'b'), [later]);
    });

    it('keeps the last version of each incident, as it was stored', async t => {
      const { store } = await make(t);
      const document = { text: 'ä', list: [1] };
      assert.equal(store.putIncident({ ...INCIDENT, document: { text: 'older' } }), true);
      store.putIncident({ ...INCIDENT, closedAt: 9, version: 2, document });
      store.putIncident({ ...INCIDENT, id: 'i2', openedAt: 7 });
      document.list.push(2);
      assert.deepEqual(await store.incidents(), []);
      await store.commit();
      const first = { ...INCIDENT, closedAt: 9, version: 2, document: { text: 'ä', list: [1] } };
      assert.deepEqual(await store.incidents(), [{ ...INCIDENT, id: 'i2', openedAt: 7 }, first]);
      assert.deepEqual(await store.incident('i1'), first);
      assert.equal(await store.incident('none'), undefined);
    });

    if (!isLasting) return;
    it('still has them after a restart', async t => {
      const made = await make(t);
      const { store } = made;
      store.addEvent('a', { at: 20, kind: 'restart', text: 'x' });
      store.addVerdictChange({ ...CHANGE, at: 30 });
      store.putIncident(INCIDENT);
      const found = async (from: IncidentStore): Promise<unknown[]> => [
        await from.events('a', 0, 100),
        await from.verdictChanges(0, 100),
        await from.incidents(),
      ];
      await store.commit();
      const before = await found(store);
      assert.deepEqual(await found(await reopened(made)), before);
    });
  });
}
