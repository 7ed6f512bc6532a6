import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { encodeText } from '../../base/text.ts';
import type { ArchiveMember } from '../bundle.ts';
import { tarGzArchive } from './tar-gz.ts';

const archive = tarGzArchive();
const MEMBERS: readonly ArchiveMember[] = [
  { path: 'a/b.txt', bytes: encodeText('text'), mtimeSeconds: 0 },
  { path: `${'long/'.repeat(40)}name.pb.gz`, bytes: new Uint8Array(3000), mtimeSeconds: 1794772585 },
];

async function unpacked(bytes: Uint8Array, of = archive): Promise<ArchiveMember[]> {
  const members: ArchiveMember[] = [];
  for await (const { path, bytes: content, mtimeSeconds } of of.unpack(bytes)) {
    members.push({ path, bytes: new Uint8Array(content), mtimeSeconds });
  }
  return members;
}

describe('the archive', () => {
  it('has no time and no system in its head', async () => {
    const bytes = await archive.pack(MEMBERS);
    assert.deepEqual(Array.from(bytes.subarray(4, 10)), [0, 0, 0, 0, 0, 255]);
  });

  it('says what is wrong with one', async () => {
    const bytes = await archive.pack(MEMBERS);
    const folder = await packTar([{ header: { name: 'link', size: 0, type: 'symlink', linkname: '/etc/passwd' } }]);
    const cases: readonly (readonly [Uint8Array, RegExp])[] = [
      [bytes.subarray(0, bytes.length - 20), /gzip stream ends early/],
      [gzipSync(archive.gunzip(bytes).subarray(0, 700)), /not a tar archive|ends inside a file/],
      [gzipSync('x'.repeat(2000)), /not a tar archive/],
      [gzipSync(folder), /holds a symlink/],
    ];
    for (const [broken, message] of cases) await assert.rejects(unpacked(broken), { name: 'FormatError', message });
    const small = tarGzArchive({ maxBytes: 1000, maxMembers: 1 });
    await assert.rejects(unpacked(bytes, small), /larger than 1000 bytes/);
    const few = tarGzArchive({ maxBytes: 1e6, maxMembers: 1 });
    await assert.rejects(unpacked(bytes, few), /more than 1 files/);
  });
});
