/** Notices in every RecordStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import type { Notice } from '../../src/store/notification.ts';
import type { WatchStore } from '../../src/store/ports.ts';
import { exampleNotice } from '../double/notices.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';

const idsIn = async (store: WatchStore): Promise<string[]> =>
  (await store.records({ kind: 'notice' })).map(({ destination, notice }) => `${destination} ${notice.id}`);

export function outboxStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`RecordStore: ${name}`, () => {
    it('keeps notices in order until they are dropped', async t => {
      const made = await make(t);
      const { store } = made;
      const notice = (id: string): Notice => exampleNotice({ id });
      assert.equal(store.put({ kind: 'notice', record: { destination: 'a', notice: notice('1') } }), true);
      store.put({ kind: 'notice', record: { destination: 'b', notice: notice('1') } });
      store.put({ kind: 'notice', record: { destination: 'a', notice: notice('2') } });
      assert.deepEqual(await idsIn(store), []);
      await store.commit();
      assert.deepEqual(await idsIn(store), ['a 1', 'b 1', 'a 2']);
      store.put({ kind: 'notice', record: { destination: 'a', notice: { ...notice('1'), at: 9 } } });
      store.put({ kind: 'dropped-notice', record: { destination: 'b', noticeId: '1' } });
      store.put({ kind: 'dropped-notice', record: { destination: 'a', noticeId: 'none' } });
      await store.commit();
      const last = isLasting ? await reopened(made) : store;
      assert.deepEqual(await idsIn(last), ['a 1', 'a 2']);
      const [first] = await last.records({ kind: 'notice' });
      assert.deepEqual(first?.notice, { ...notice('1'), at: 9 });
    });
  });
}
