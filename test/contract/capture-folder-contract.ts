/** The contract of every CaptureFolder. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeText, encodeText } from '../../src/base/text.ts';
import type { CaptureManifest } from '../../src/evidence/capture.ts';
import type { CaptureFolder } from '../../src/live/ports.ts';

export interface FolderImplementation {
  readonly name: string;
  make(t: TestContext): FolderUnderTest;
}

export interface FolderUnderTest {
  readonly folder: CaptureFolder;
  /** A file as stored. */
  content(name: string): Uint8Array | undefined;
}

const MANIFEST: CaptureManifest = {
  schema: 'oakum.capture/v1',
  target: 'node/worker-17',
  oakumVersion: '0.1.0',
  startedAtSeconds: 1,
  endedAtSeconds: undefined,
  version: 'v1.36.0',
  goVersion: undefined,
  buildId: undefined,
  processStartSeconds: [undefined, 7],
  goroutines: [undefined, 300],
  entries: [
    {
      kind: 'heap',
      set: 1,
      file: 'heap-1.pb.gz',
      request: '/debug/pprof/heap',
      takenAtSeconds: 1,
      tookSeconds: 0.1,
      skewSeconds: undefined,
      status: 200,
      bytes: 9,
      sha256: 'ab',
      truncated: undefined,
      error: undefined,
    },
  ],
  notes: ['a note'],
};

export function captureFolderContract({ name, make }: FolderImplementation): void {
  describe(`CaptureFolder: ${name}`, () => {
    it('returns the manifest as written, in its last version', async t => {
      const { folder } = make(t);
      await folder.lock();
      assert.equal(await folder.readManifest(), undefined);
      await folder.writeManifest(MANIFEST);
      assert.deepEqual(await folder.readManifest(), MANIFEST);
      const { goroutines: _, ...older } = { ...MANIFEST, endedAtSeconds: 2, entries: [] };
      await folder.writeManifest(older);
      assert.deepEqual(await folder.readManifest(), older);
    });

    it('compresses text, keeps compressed files, and records the digest of what is stored', async t => {
      const { folder, content } = make(t);
      await folder.lock();
      const packed = gzipSync('profile');
      for (const [file, given, text] of [
        ['metrics.prom.gz', encodeText('a 1\n'), 'a 1\n'],
        ['heap.pb.gz', packed, 'profile'],
      ] as const) {
        const stored = await folder.write(file, given);
        const bytes = content(file);
        assert.ok(bytes !== undefined);
        assert.equal(gunzipSync(bytes).toString(), text);
        assert.deepEqual(stored, {
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        });
        assert.equal(await folder.has(file, bytes.length), true);
        assert.equal(await folder.has(file, bytes.length + 1), false);
      }
      assert.deepEqual(content('heap.pb.gz'), packed);
      assert.equal(await folder.has('none', 0), false);
    });

    it('replaces a file of the same name', async t => {
      const { folder, content } = make(t);
      await folder.lock();
      await folder.write('a.gz', encodeText('one'));
      await folder.write('a.gz', encodeText('two'));
      assert.equal(gunzipSync(content('a.gz') ?? new Uint8Array()).toString(), 'two');
    });

    it('decompresses, unless it is damaged or larger than the cap', async t => {
      const { folder } = make(t);
      assert.equal(decodeText((await folder.inflate(encodeText('plain'), 100)) ?? encodeText('')), 'plain');
      assert.equal(decodeText((await folder.inflate(gzipSync('text'), 100)) ?? encodeText('')), 'text');
      const bomb = gzipSync(Buffer.alloc(1_000_000));
      assert.equal(await folder.inflate(bomb, 10_000), undefined);
      assert.equal((await folder.inflate(bomb, 1_000_000))?.length, 1_000_000);
      assert.equal(await folder.inflate(gzipSync('x').subarray(0, 15), 10_000), undefined);
    });

    it('can be locked only once', async t => {
      const { folder } = make(t);
      const lock = await folder.lock();
      assert.ok(lock.kind === 'locked');
      const other = await folder.lock();
      assert.match(other.kind === 'busy' ? other.by : '', new RegExp(`^process ${process.pid}\\b`));
      await lock.release();
      assert.equal((await folder.lock()).kind, 'locked');
    });
  });
}
