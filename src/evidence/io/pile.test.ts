import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { type PileOptions, readPileFiles } from './pile.ts';

let root = '';
before(() => void (root = mkdtempSync(join(tmpdir(), 'oakum-pile-'))));
after(() => rmSync(root, { recursive: true }));

async function read(paths: readonly string[], options?: PileOptions): Promise<PileItem[]> {
  const items: PileItem[] = [];
  for await (const item of readPileFiles(paths, options)) items.push(item);
  return items;
}

/** `path: text`, or `path! message`, with paths relative to the test's folder. */
function show(items: readonly PileItem[]): string[] {
  return items.map(item => {
    const path = item.path.replace(`${root}/`, '');
    return item.kind === 'problem' ? `${path}! ${item.message}` : `${path}: ${Buffer.from(item.bytes).toString()}`;
  });
}

async function tar(files: Readonly<Record<string, string | Uint8Array>>): Promise<Uint8Array> {
  const mtime = new Date(1794772000_000);
  return packTar(
    Object.entries(files).map(([name, body]) => {
      const bytes = typeof body === 'string' ? encodeText(body) : body;
      return { header: { name, size: bytes.length, type: 'file' as const, mtime }, body: bytes };
    }),
  );
}

describe('pile', () => {
  it('reads files, folders and archives in any nesting, in order', async () => {
    const node = join(root, 'node');
    mkdirSync(join(node, 'profiles'), { recursive: true });
    writeFileSync(join(node, 'profiles', 'b.txt'), 'b');
    writeFileSync(join(node, 'profiles', 'a.gz'), gzipSync('a'));
    writeFileSync(join(node, 'm.prom'), 'm');
    writeFileSync(join(node, '.hidden'), 'no');
    symlinkSync(node, join(node, 'circle'));
    utimesSync(join(node, 'm.prom'), 1000, 1794772001);
    const folder = await read([node]);
    assert.deepEqual(show(folder), ['node/m.prom: m', 'node/profiles/a.gz: a', 'node/profiles/b.txt: b']);
    assert.equal(folder[0].kind === 'member' && folder[0].mtimeSeconds, 1794772001);

    // A link inside the folder is a file like any other; one out of it is told, not followed.
    symlinkSync(join(node, 'm.prom'), join(node, 'profiles', 'c.prom'));
    writeFileSync(join(root, 'private.txt'), 'secret');
    symlinkSync(join(root, 'private.txt'), join(node, 'profiles', 'd.txt'));
    symlinkSync('../../private.txt', join(node, 'profiles', 'e.txt'));
    assert.deepEqual(show(await read([join(node, 'profiles')])), [
      'node/profiles/a.gz: a',
      'node/profiles/b.txt: b',
      'node/profiles/c.prom! a link out of the folder, which is not followed',
      'node/profiles/d.txt! a link out of the folder, which is not followed',
      'node/profiles/e.txt! a link out of the folder, which is not followed',
    ]);
    assert.ok(show(await read([node])).includes('node/profiles/c.prom: m'));

    const inner = await tar({ 'm.prom': 'm', 'profiles/a.gz': gzipSync('a'), 'profiles/b.txt': 'b' });
    writeFileSync(join(root, 'x.tar'), inner);
    writeFileSync(join(root, 'x.tgz'), gzipSync(inner));
    writeFileSync(join(root, 'y.tar'), await tar({ 'in/x.tar.gz': gzipSync(inner), '../../etc/passwd': 'name\u001b' }));
    const members = ['m.prom: m', 'profiles/a.gz: a', 'profiles/b.txt: b'];
    assert.deepEqual(
      show(await read([join(root, 'x.tar')])),
      members.map(member => `x.tar/${member}`),
    );
    assert.deepEqual(
      show(await read([join(root, 'x.tgz')])),
      members.map(member => `x.tgz/${member}`),
    );
    const nested = await read([join(root, 'y.tar')]);
    assert.deepEqual(
      show(nested),
      [...members.map(member => `in/x.tar.gz/${member}`), '../../etc/passwd: name\u001b'].map(line => `y.tar/${line}`),
    );
    assert.equal(nested[0].kind === 'member' && nested[0].mtimeSeconds, 1794772000);
  });

  it('reads zip archives, stored and deflated, and says what it cannot read in them', async () => {
    const text = 'go_goroutines 310\n';
    const archive = zipOf([
      { name: 'a/metrics.prom', content: deflateRawSync(text), method: 8, size: text.length },
      { name: 'b.txt', content: Buffer.from(text), method: 0, size: text.length },
      { name: 'c.bin', content: Buffer.from('x'), method: 14, size: 1 },
      { name: 'd.txt', content: Buffer.from('no deflate'), method: 8, size: 10 },
    ]);
    const unzip = async (bytes: Uint8Array): Promise<string[]> =>
      show(await read(['-'], { stdin: Readable.from([bytes]) }));
    const [deflated, stored, method, broken, ...more] = await unzip(archive);
    assert.equal(deflated, `-/a/metrics.prom: ${text}`);
    assert.equal(stored, `-/b.txt: ${text}`);
    assert.equal(method, '-/c.bin! packed by method 14, which is not read');
    assert.match(broken ?? '', /^-\/d\.txt! its content is broken/);
    assert.deepEqual(more, []);
    assert.match((await unzip(archive.subarray(0, archive.length - 30))).join(), /ends before its directory/);
    for (let cut = 4; cut < archive.length; cut += 7) await unzip(archive.subarray(0, cut));
  });

  it('names packers that it does not read', async () => {
    const items = await read(['-'], { stdin: Readable.from([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])]) });
    assert.deepEqual(items, [
      { kind: 'problem', path: '-', message: 'packed by xz, which is not read: unpack it first' },
    ]);
  });

  it('says that it may not read a file', { skip: process.seteuid === undefined }, async () => {
    const folder = join(root, 'closed');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.txt'), 'a');
    writeFileSync(join(folder, 'b.txt'), 'b');
    for (const [path, mode] of [
      [root, 0o755],
      [folder, 0o755],
      [join(folder, 'a.txt'), 0o000],
      [join(folder, 'b.txt'), 0o644],
    ] as const) {
      chmodSync(path, mode);
    }
    // Root may read everything.
    const user = process.geteuid!();
    if (user === 0) process.seteuid!(65534);
    try {
      assert.deepEqual(show(await read([folder])), ['closed/a.txt! permission denied', 'closed/b.txt: b']);
    } finally {
      if (user === 0) process.seteuid!(0);
    }
  });

  it('says what it could not read and goes on', async () => {
    const cut = gzipSync(Buffer.alloc(100_000, 'line of text\n')).subarray(0, 150);
    writeFileSync(join(root, 'cut.txt.gz'), cut);
    writeFileSync(join(root, 'broken.gz'), Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3));
    writeFileSync(join(root, 'good.txt'), 'good');
    const whole = await tar({ 'one.txt': 'one', 'two.txt': 'x'.repeat(5000) });
    writeFileSync(join(root, 'cut.tar'), whole.subarray(0, 3000));
    const names = ['missing', 'cut.txt.gz', 'broken.gz', 'cut.tar', 'good.txt'];
    const items = await read(names.map(name => join(root, name)));
    const [missing, cutText, broken, one, two, good] = items;
    assert.equal(show([missing])[0], 'missing! no such file or directory');
    assert.ok(cutText.kind === 'member' && cutText.bytes.length > 0 && /gzip stream ends/.test(cutText.damage ?? ''));
    assert.equal(broken.kind, 'problem');
    assert.equal(show([one])[0], 'cut.tar/one.txt: one');
    assert.ok(two.kind === 'member' && /the archive ends inside it: \d+ of 5000 bytes/.test(two.damage ?? ''));
    assert.equal(show([good])[0], 'good.txt: good');
  });

  it('keeps its bounds', async () => {
    writeFileSync(join(root, 'bomb.gz'), gzipSync(Buffer.alloc(5_000_000)));
    const bomb = await read([join(root, 'bomb.gz')], { limits: { maxBytes: 1_000_000 } });
    assert.match(show(bomb)[0], /larger than 1000000 bytes when decompressed; set OAKUM_MAX_BYTES/);

    let russian: Uint8Array = encodeText('doll');
    for (let i = 0; i < 8; i++) russian = gzipSync(russian);
    writeFileSync(join(root, 'doll.gz'), russian);
    assert.match(show(await read([join(root, 'doll.gz')]))[0], /more than 4 times over/);

    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `${i}`]));
    writeFileSync(join(root, 'many.tar'), await tar({ big: 'x'.repeat(2000), ...many }));
    const some = await read([join(root, 'many.tar'), join(root, 'good.txt')], {
      limits: { maxMembers: 10, maxBytes: 1000 },
    });
    assert.equal(some.length, 11);
    assert.match(show(some)[0], /larger than/);
    assert.match(show(some)[10], /more than 10 files; the rest is not read/);

    mkdirSync(join(root, 'deep/a/b/c'), { recursive: true });
    writeFileSync(join(root, 'deep/a/b/c/f'), 'f');
    assert.match(show(await read([join(root, 'deep')], { limits: { maxDepth: 2 } }))[0], /deeper than 2/);
  });

  it('reads - as the input it is given', async () => {
    const items = await read(['-'], { stdin: ReadableStream.from([gzipSync('text')]) });
    assert.deepEqual(show(items), ['-: text']);
  });
});

interface Packed {
  readonly name: string;
  readonly content: Uint8Array;
  readonly method: number;
  readonly size: number;
}

/** As zip writes it; the checksums, which nothing here reads, are zero. */
function zipOf(entries: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method, size } of entries) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), content]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), fields, tail, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\u0005\u0006'), end]);
}
