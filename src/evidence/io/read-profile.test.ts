import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';
import { rawReport } from '../../profile/pprof/reports/raw.ts';
import { gatherBounded, GunzipError, readProfileBytes, readProfileFile, TooLargeError } from './read-profile.ts';

const CAPTURES = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/go1.27/t3/', import.meta.url));
const heap = new Uint8Array(readFileSync(`${CAPTURES}heap.debug0.pb.gz`));
const folder = mkdtempSync(join(tmpdir(), 'oakum-read-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const place = (name: string, content: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('readProfileFile', () => {
  it('reads gzip, plain, and gzip in several members alike', async () => {
    const plain = gunzipSync(heap);
    const want = rawReport((await readProfileFile(`${CAPTURES}heap.debug0.pb.gz`)).profile);
    const members = Buffer.concat([gzipSync(plain.subarray(0, 1000)), gzipSync(plain.subarray(1000))]);
    for (const [name, content] of [
      ['plain', plain],
      ['members', members],
      ['stored', gzipSync(plain, { level: 0 })],
    ] as const) {
      const reading = await readProfileFile(place(name, content));
      assert.equal(reading.format, 'pprof');
      assert.equal(rawReport(reading.profile), want, name);
    }
    assert.equal(rawReport((await readProfileBytes(heap)).profile), want);
  });

  it('reads text, compressed or not, and without labels', async () => {
    const text = readFileSync(`${CAPTURES}goroutine.debug2.txt`);
    for (const content of [text, gzipSync(text)]) {
      assert.equal((await readProfileFile(place('dump', content))).format, 'debug2');
    }
    const bare = await readProfileFile(`${CAPTURES}goroutine.debug0.pb.gz`, { labels: false });
    assert.equal(bare.profile.samples.labels.length, 0);
  });

  it('reads from a pipe, once', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writing = import('node:fs/promises').then(({ writeFile }) => writeFile(pipe, heap));
    const reading = await readProfileFile(pipe);
    await writing;
    assert.equal(reading.format, 'pprof');
  });

  it('refuses what is damaged', async () => {
    const flipped = heap.slice();
    flipped[flipped.length - 6] ^= 1;
    const cases: readonly (readonly [content: Uint8Array, message: RegExp])[] = [
      [new Uint8Array(0), /^empty input file at byte 0$/],
      [gzipSync(''), /^empty input file at byte 0$/],
      [heap.subarray(0, 3), /^decompressing profile: unexpected EOF at byte 0$/],
      [heap.subarray(0, -1), /^decompressing profile: unexpected EOF at byte \d+$/],
      [flipped, /^decompressing profile: gzip: invalid checksum at byte \d+$/],
      [Uint8Array.of(0x1f, 0x8b, 9, 9, 9, 9), /^decompressing profile: gzip: invalid header at byte 0$/],
      [
        Buffer.concat([heap.subarray(0, 10), new Uint8Array(50).fill(0xff)]),
        /^decompressing profile: flate: corrupt input/,
      ],
    ];
    for (const [content, message] of cases) {
      await assert.rejects(readProfileFile(place('bad', content)), (error: unknown) => {
        assert.ok(error instanceof FormatError, String(error));
        assert.match(error.describe(), message);
        return true;
      });
    }
    await assert.rejects(readProfileFile(join(folder, 'nofile')), { code: 'ENOENT' });
    await assert.rejects(readProfileFile(folder), { code: 'EISDIR' });
  });

  it('a gzip cut anywhere is refused, never read as less', async () => {
    for (let end = 2; end < heap.length; end += 97) {
      await assert.rejects(readProfileBytes(heap.subarray(0, end)), GunzipError);
    }
  });

  it('stops a gzip bomb at the cap, in little memory', async () => {
    // 4 GiB of zeros after two rounds; the cap is 64 MiB.
    const zeros = gzipSync(new Uint8Array(64 << 20));
    const bomb = place('bomb', Buffer.concat(Array.from({ length: 64 }, () => zeros)));
    const before = process.memoryUsage.rss();
    await assert.rejects(readProfileFile(bomb, {}, { maxBytes: 64 << 20 }), TooLargeError);
    assert.ok(process.memoryUsage.rss() - before < 400 << 20);
  });

  it('stops an endless pipe at the cap', async () => {
    await assert.rejects(readProfileFile('/dev/zero', {}, { maxBytes: 1 << 20 }), TooLargeError);
    const endless = (async function* () {
      for (;;) yield new Uint8Array(1000);
    })();
    await assert.rejects(gatherBounded(endless, { maxBytes: 10_000 }), {
      message: 'larger than 10000 bytes when decompressed; set OAKUM_MAX_BYTES to read more',
    });
  });
});
