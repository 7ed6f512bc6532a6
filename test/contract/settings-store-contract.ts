/** The contract of every SettingsStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';

export function settingsStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`SettingsStore: ${name}`, () => {
    it('keeps the last value of each key', async t => {
      const made = await make(t);
      const { store } = made;
      assert.equal(store.putSetting('key', 'older'), true);
      store.putSetting('key', 'value ä');
      assert.equal(await store.setting('key'), undefined);
      await store.commit();
      assert.equal(await store.setting('key'), 'value ä');
      assert.equal(await store.setting('none'), undefined);
      if (isLasting) assert.equal(await (await reopened(made)).setting('key'), 'value ä');
    });
  });
}
