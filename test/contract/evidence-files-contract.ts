/** The contract of every EvidenceFiles. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { describe, it } from './counted-tests.ts';
import { decodeText, encodeText } from '../../src/base/text.ts';
import { StoreError, type EvidenceFiles } from '../../src/store/ports.ts';

export interface EvidenceImplementation {
  readonly name: string;
  /** Empty, open, and closed at the end. */
  make(t: TestContext): Promise<EvidenceUnderTest>;
}

export interface EvidenceUnderTest {
  readonly files: EvidenceFiles;
  /** Another one in the same place; undefined if nothing outlasts it. */
  readonly another?: () => Promise<EvidenceFiles>;
  /** Replaces what is kept under this hash, behind its back. */
  spoil(sha256: string, bytes: Uint8Array): Promise<void>;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function putText(files: EvidenceFiles, text: string): Promise<string> {
  const bytes = encodeText(text);
  await files.put(sha256Of(bytes), bytes);
  return sha256Of(bytes);
}

async function readText(files: EvidenceFiles, sha256: string): Promise<string | undefined> {
  const bytes = await files.read(sha256);
  return bytes && decodeText(bytes);
}

async function listed(files: EvidenceFiles): Promise<string[]> {
  const found: string[] = [];
  for await (const { sha256, bytes } of files.list()) found.push(`${sha256} ${bytes}`);
  return found.sort();
}

export function evidenceFilesContract({ name, make }: EvidenceImplementation): void {
  describe(`EvidenceFiles: ${name}`, () => {
    it('returns what was put, and its size', async t => {
      const { files } = await make(t);
      const sha256 = await putText(files, 'a profile');
      assert.equal(await readText(files, sha256), 'a profile');
      assert.equal(await files.size(sha256), 9);
    });

    it('takes bytes that are there already, also many times at once', async t => {
      const { files } = await make(t);
      await putText(files, 'same');
      await Promise.all(Array.from({ length: 8 }, () => putText(files, 'same')));
      assert.deepEqual(await listed(files), [`${sha256Of(encodeText('same'))} 4`]);
    });

    it('keeps bytes of every value, none at all, and a few megabytes', async t => {
      const { files } = await make(t);
      for (const length of [0, 256, 3_000_001]) {
        const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) % 256);
        await files.put(sha256Of(bytes), bytes);
        const back = await files.read(sha256Of(bytes));
        assert.ok(back !== undefined && Buffer.from(back).equals(bytes), `${length} bytes`);
        assert.equal(await files.size(sha256Of(bytes)), length);
      }
    });

    it('has nothing under an unknown name, and none of a path', async t => {
      const { files } = await make(t);
      await putText(files, 'a profile');
      for (const unknown of ['0'.repeat(64), '../../oakum.db', '', 'A'.repeat(64)]) {
        assert.equal(await files.read(unknown), undefined);
        assert.equal(await files.size(unknown), undefined);
      }
    });

    it('removes, and does not mind if it is gone', async t => {
      const { files } = await make(t);
      const [gone, kept] = [await putText(files, 'gone'), await putText(files, 'kept')];
      await files.remove(gone);
      await files.remove(gone);
      assert.equal(await files.read(gone), undefined);
      assert.equal(await files.size(gone), undefined);
      assert.equal(await readText(files, kept), 'kept');
      assert.deepEqual(await listed(files), [`${kept} 4`]);
    });

    it('takes again what was removed', async t => {
      const { files } = await make(t);
      await files.remove(await putText(files, 'again'));
      assert.equal(await readText(files, await putText(files, 'again')), 'again');
    });

    it('lists everything, also more than a page', async t => {
      const { files } = await make(t);
      assert.deepEqual(await listed(files), []);
      const put: string[] = [];
      for (let i = 0; i < 25; i++) put.push(`${await putText(files, `profile ${i}`)} ${`profile ${i}`.length}`);
      assert.deepEqual(await listed(files), put.sort());
    });

    it('says so if it is not what was written', async t => {
      const { files, spoil } = await make(t);
      const sha256 = await putText(files, 'a profile');
      for (const other of ['b profile', 'a prof', '', 'a profile and more']) {
        await spoil(sha256, encodeText(other));
        await assert.rejects(files.read(sha256), (error: unknown) => {
          assert.ok(error instanceof StoreError);
          assert.equal(error.kind, 'damaged');
          assert.match(error.message, new RegExp(`^profile ${sha256.slice(0, 12)} is not what was written: `));
          return true;
        });
      }
    });

    it('is not degraded, and nothing waits', async t => {
      const { files } = await make(t);
      await putText(files, 'a profile');
      assert.deepEqual(files.status(), { degraded: null, waitingFiles: 0, waitingBytes: 0 });
      assert.notEqual(files.place, '');
    });

    it('has what was put after it was closed and opened again', async t => {
      const { files, another } = await make(t);
      if (another === undefined) return t.skip('nothing outlasts it');
      const sha256 = await putText(files, 'a profile');
      await files.close();
      assert.equal(await readText(await another(), sha256), 'a profile');
    });
  });
}
