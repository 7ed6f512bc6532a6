import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { encodeText } from '../../src/base/text.ts';
import type { PileItem } from '../../src/evidence/pile.ts';
import { type PileFile, pileItems } from './pile-items.ts';
import { analyzeFiles } from './profile-service.ts';

const CAPTURES = new URL('../../test/fixtures/captures/leakdemo/go1.26/', import.meta.url);
const capture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, CAPTURES)));
const file = (path: string, bytes: Uint8Array): PileFile => ({ path, bytes, mtimeSeconds: 1000 });

async function archive(members: Readonly<Record<string, Uint8Array>>): Promise<Uint8Array> {
  const entries = Object.entries(members).map(([name, body]) => ({
    header: { name, size: body.length, type: 'file' as const, mtime: new Date(2_000_000) },
    body,
  }));
  return new Uint8Array(gzipSync(await packTar(entries)));
}

async function itemsOf(files: readonly PileFile[], maxBytes?: number): Promise<PileItem[]> {
  const items: PileItem[] = [];
  for await (const item of pileItems(files, maxBytes)) items.push(item);
  return items;
}

/** One deflated file, as zip writes it; the checksum is not read. */
function zipOf(name: string, content: Uint8Array): Uint8Array {
  const [nameBytes, packed] = [encodeText(name), deflateRawSync(content)];
  const header = (size: number, fields: readonly (readonly [at: number, value: number])[]): Buffer => {
    const bytes = Buffer.alloc(size);
    for (const [at, value] of fields)
      if (value > 0xffff) bytes.writeUInt32LE(value, at);
      else bytes.writeUInt16LE(value, at);
    return bytes;
  };
  const local = header(30, [
    [0, 0x04034b50],
    [8, 8],
    [26, nameBytes.length],
  ]);
  const central = header(46, [
    [0, 0x02014b50],
    [10, 8],
    [20, packed.length],
    [24, content.length],
    [28, nameBytes.length],
  ]);
  const at = local.length + nameBytes.length + packed.length;
  const end = header(22, [
    [0, 0x06054b50],
    [8, 1],
    [10, 1],
    [12, central.length + nameBytes.length],
    [16, at],
  ]);
  return new Uint8Array(Buffer.concat([local, nameBytes, packed, central, nameBytes, end]));
}

describe('a pile of dropped files', () => {
  it('has the files of a zip archive', async () => {
    const dump = capture('t3/goroutine.debug2.txt');
    const [item] = await itemsOf([file('case.zip', zipOf('worker-17/dump.txt', dump))]);
    assert.deepEqual(
      [item.path, item.kind === 'member' && item.bytes.length],
      ['case.zip/worker-17/dump.txt', dump.length],
    );
    const [cut] = await itemsOf([file('cut.zip', zipOf('dump.txt', dump).subarray(0, 1000))]);
    assert.match(cut.kind === 'problem' ? cut.message : '', /zip archive/);
  });

  it('is analysed as by oakum analyze, archives by their members', async () => {
    const members = {
      't0/heap.pb.gz': capture('t0/heap.debug0.pb.gz'),
      't3/heap.pb.gz': capture('t3/heap.debug0.pb.gz'),
    };
    const analysis = await analyzeFiles([
      file('pile/dump.txt', capture('t3/goroutine.debug2.txt')),
      file('pile/bundle.tar.gz', await archive(members)),
      file('pile/photo.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])),
    ]);
    const kinds = Object.fromEntries(
      analysis.inputs.map(({ path, kind, error }) => [path, error === null ? kind : 'no']),
    );
    assert.deepEqual(kinds, {
      'pile/dump.txt': 'goroutine',
      'pile/bundle.tar.gz/t0/heap.pb.gz': 'heap',
      'pile/bundle.tar.gz/t3/heap.pb.gz': 'heap',
      'pile/photo.png': 'no',
    });
    assert.ok(analysis.findings.length > 0);
  });

  it('keeps the times of members, and goes on after a damaged file', async () => {
    const items = await itemsOf([
      file('cut.gz', gzipSync(encodeText('x'.repeat(5000))).subarray(0, 20)),
      file('a.tar.gz', await archive({ 'm.txt': encodeText('go_goroutines 5\n') })),
    ]);
    assert.deepEqual(
      items.map(item =>
        item.kind === 'member' ? `${item.path} ${item.mtimeSeconds}` : `${item.path}: ${item.message}`,
      ),
      ['cut.gz: the gzip data is damaged or cut off; copy the file again at byte 0', 'a.tar.gz/m.txt 2000'],
    );
  });

  it('is bounded: a bomb is one line', async () => {
    const [item] = await itemsOf([file('bomb.gz', gzipSync(new Uint8Array(1 << 20)))], 1 << 16);
    assert.equal(item?.kind, 'problem');
  });
});
