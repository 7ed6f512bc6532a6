/** Settings in every RecordStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';

export function settingsStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`RecordStore: ${name}`, () => {
    it('keeps the last value of each key', async t => {
      const made = await make(t);
      const { store } = made;
      assert.equal(store.put({ kind: 'setting', record: { key: 'key', value: 'older' } }), true);
      store.put({ kind: 'setting', record: { key: 'key', value: 'value ä' } });
      assert.equal((await store.records({ kind: 'setting', id: 'key' }))[0]?.value, undefined);
      await store.commit();
      assert.equal((await store.records({ kind: 'setting', id: 'key' }))[0]?.value, 'value ä');
      assert.equal((await store.records({ kind: 'setting', id: 'none' }))[0]?.value, undefined);
      if (!isLasting) return;
      const again = await reopened(made);
      assert.equal((await again.records({ kind: 'setting', id: 'key' }))[0]?.value, 'value ä');
    });
  });
}
