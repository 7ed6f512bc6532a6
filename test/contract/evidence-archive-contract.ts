/** The contract of every EvidenceArchive and every Digests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FormatError } from '../../src/base/errors.ts';
import { decodeText, encodeText } from '../../src/base/text.ts';
import type { ArchiveMember, Digests, EvidenceArchive } from '../../src/evidence/bundle.ts';

export interface ArchiveImplementation {
  readonly name: string;
  make(limits?: { readonly maxBytes: number; readonly maxMembers: number }): EvidenceArchive;
}

const MEMBERS: readonly ArchiveMember[] = [
  { path: 'MANIFEST.json', bytes: encodeText('{}'), mtimeSeconds: 0 },
  { path: 'redacted-abc/heap-1.pb.gz', bytes: Uint8Array.of(0x1f, 0x8b, 1, 2, 3), mtimeSeconds: 1_794_772_000 },
  { path: `long/${'x'.repeat(180)}/ä.txt`, bytes: new Uint8Array(70_000).fill(7), mtimeSeconds: 0 },
  { path: 'empty', bytes: new Uint8Array(), mtimeSeconds: 0 },
];

export function evidenceArchiveContract({ name, make }: ArchiveImplementation): void {
  describe(`EvidenceArchive: ${name}`, () => {
    it('unpacks what it packed, in the same order', async () => {
      const archive = make();
      const members = await gathered(archive.unpack(await archive.pack(MEMBERS)));
      assert.deepEqual(
        members.map(({ path, bytes, mtimeSeconds }) => ({ path, bytes: [...bytes], mtimeSeconds })),
        MEMBERS.map(({ path, bytes, mtimeSeconds }) => ({ path, bytes: [...bytes], mtimeSeconds })),
      );
    });

    it('packs the same members into the same bytes', async () => {
      const first = await make().pack(MEMBERS);
      await new Promise(resolve => setTimeout(resolve, 20));
      assert.deepEqual(await make().pack(MEMBERS), first);
    });

    it('refuses anything that is not a complete archive', async () => {
      const archive = make();
      const whole = await archive.pack(MEMBERS);
      for (const bytes of [encodeText('no archive at all'), whole.subarray(0, whole.length / 2)])
        await assert.rejects(gathered(archive.unpack(bytes)), FormatError);
    });

    it('enforces its limits', async () => {
      const whole = await make().pack(MEMBERS);
      const unpack = (limits: Parameters<typeof make>[0]): Promise<unknown> =>
        gathered(
          (async function* () {
            yield* make(limits).unpack(whole);
          })(),
        );
      await assert.rejects(unpack({ maxBytes: 10_000, maxMembers: 100 }), FormatError);
      await assert.rejects(unpack({ maxBytes: 1_000_000, maxMembers: 3 }), FormatError);
      await unpack({ maxBytes: 1_000_000, maxMembers: 4 });
    });

    it('compresses, and returns compressed and uncompressed bytes alike', () => {
      const archive = make({ maxBytes: 100_000, maxMembers: 1 });
      const text = encodeText('a text '.repeat(1000));
      for (const effort of ['fast', 'best'] as const) {
        const packed = archive.gzip(text, effort);
        assert.ok(packed.length < text.length / 10);
        assert.deepEqual(archive.gzip(text, effort), packed);
        assert.equal(decodeText(archive.gunzip(packed)), decodeText(text));
        assert.throws(() => archive.gunzip(packed.subarray(0, packed.length - 9)), FormatError);
      }
      assert.equal(decodeText(archive.gunzip(encodeText('plain'))), 'plain');
      assert.throws(() => archive.gunzip(archive.gzip(new Uint8Array(200_000))), FormatError);
    });
  });
}

export function digestsContract(name: string, make: (key?: Uint8Array) => Digests): void {
  describe(`Digests: ${name}`, () => {
    it('computes standard SHA-256 digests', () => {
      const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
      assert.equal(make().sha256(encodeText('abc')), expected);
    });

    it('hashes under its key: always the same, and different under another key', () => {
      const [one, two] = [make(encodeText('key')), make()];
      assert.deepEqual(one.keyedHash('worker-17'), make(encodeText('key')).keyedHash('worker-17'));
      assert.deepEqual(two.keyedHash('worker-17'), two.keyedHash('worker-17'));
      assert.notDeepEqual(one.keyedHash('worker-17'), one.keyedHash('worker-18'));
      assert.notDeepEqual(one.keyedHash('worker-17'), two.keyedHash('worker-17'));
      assert.notDeepEqual(two.keyedHash('worker-17'), make().keyedHash('worker-17'));
      assert.equal(one.keyedHash('').length, 32);
    });
  });
}

async function gathered(items: AsyncIterable<ArchiveMember>): Promise<ArchiveMember[]> {
  const list: ArchiveMember[] = [];
  for await (const item of items) list.push(item);
  return list;
}
