/** Captures in every RecordStore. */
import assert from 'node:assert/strict';
import { describe, it } from './counted-tests.ts';
import { decodeText, encodeText } from '../../src/base/text.ts';
import { reopened, type StoreImplementation } from './store-under-test.ts';
import { StoreError } from '../../src/store/ports.ts';
import type { NewCapture } from '../../src/store/records.ts';

function capture(id: string, at: number, ...texts: string[]): NewCapture {
  const files = texts.map(text => ({ kind: 'heap', at: at + 1, truncated: null, bytes: encodeText(text) }) as const);
  return { id, target: 'a', at, trigger: 'doubling', reason: 'twice', processStartSeconds: 1, files };
}

export function captureStoreContract({ name, make, isLasting }: StoreImplementation): void {
  describe(`RecordStore: ${name}`, () => {
    it('returns captures and their files, without a commit', async t => {
      const { store } = await make(t);
      const given = capture('c1', 1, 'profile', 'dump');
      const stored = await store.addCapture(given);
      const { files, ...rest } = given;
      assert.deepEqual({ ...stored, files: [] }, { ...rest, files: [] });
      assert.deepEqual(
        stored.files.map(({ kind, at, truncated, bytes }) => ({ kind, at, truncated, bytes })),
        files.map(({ kind, at, truncated, bytes }) => ({ kind, at, truncated, bytes: bytes.length })),
      );
      assert.deepEqual((await store.records({ kind: 'capture', id: 'c1' }))[0], stored);
      const texts = await Promise.all(stored.files.map(({ sha256 }) => store.readProfile(sha256)));
      assert.deepEqual(
        texts.map(bytes => bytes && decodeText(bytes)),
        ['profile', 'dump'],
      );
    });

    it('keeps unknown fields of a capture as they are', async t => {
      const { store } = await make(t);
      const [file] = capture('', 1, 'dump').files;
      assert.ok(file !== undefined);
      const given: NewCapture = {
        ...capture('c1', 1),
        processStartSeconds: undefined,
        files: [{ ...file, kind: 'goroutine-d2', truncated: 'at 64 MiB' }],
      };
      const stored = await store.addCapture(given);
      assert.deepEqual((await store.records({ kind: 'capture', id: 'c1' }))[0], stored);
      assert.equal(stored.processStartSeconds, undefined);
      assert.equal(stored.files[0]?.truncated, 'at 64 MiB');
    });

    it('lists captures newest first, of one target or of all', async t => {
      const { store } = await make(t);
      await store.addCapture(capture('c1', 1, 'profile'));
      await store.addCapture({ ...capture('c3', 3, 'profile'), target: 'b' });
      await store.addCapture(capture('c2', 2));
      const ids = async (target?: string): Promise<string[]> =>
        (await store.records({ kind: 'capture', target })).map(({ id }) => id);
      assert.deepEqual(await ids(), ['c3', 'c2', 'c1']);
      assert.deepEqual(await ids('a'), ['c2', 'c1']);
      assert.deepEqual(await ids('none'), []);
    });

    it('refuses a second capture of the same id', async t => {
      const { store } = await make(t);
      const first = await store.addCapture(capture('c1', 1, 'profile'));
      await assert.rejects(store.addCapture(capture('c1', 2, 'other')), (error: unknown) => {
        assert.ok(error instanceof StoreError);
        assert.deepEqual([error.kind, error.code], ['refused', 'store-refused']);
        return true;
      });
      assert.deepEqual(await store.records({ kind: 'capture' }), [first]);
    });

    it('has no capture and no file under an unknown name', async t => {
      const { store } = await make(t);
      assert.equal((await store.records({ kind: 'capture', id: 'none' }))[0], undefined);
      for (const name of ['0'.repeat(64), '../../oakum.db', '']) assert.equal(await store.readProfile(name), undefined);
    });

    it('takes many at once, even with the same bytes', async t => {
      const { store } = await make(t);
      const many = Array.from({ length: 12 }, (_, i) => capture(`c${i}`, i, `profile ${i % 4}`));
      const stored = await Promise.all(many.map(one => store.addCapture(one)));
      assert.equal((await store.records({ kind: 'capture' })).length, 12);
      for (const { files } of stored) assert.ok(await store.readProfile(files[0]?.sha256 ?? ''));
    });

    if (!isLasting) return;
    it('still has captures after a restart', async t => {
      const made = await make(t);
      const { store } = made;
      const stored = await store.addCapture(capture('c1', 1, 'profile'));
      const again = await reopened(made);
      assert.deepEqual(await again.records({ kind: 'capture' }), [stored]);
      assert.equal(decodeText((await again.readProfile(stored.files[0]?.sha256 ?? '')) ?? encodeText('')), 'profile');
    });
  });
}
