import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeProfile } from '../../profile/formats/pprof/decode.ts';
import type { Profile } from '../../profile/profile.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const CAPTURE = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/go1.27/t3/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oakum-convert-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function convert(...argv: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo({ cwd: folder });
  return { code: await run(['convert', ...argv], io), io };
}

const written = (name: string): Buffer => readFileSync(join(folder, name));
const total = (profile: Profile): number => Array.from(profile.samples.values[0], Number).reduce((a, b) => a + b, 0);

test('a goroutine dump becomes a profile that keeps state, wait, creator and labels', async () => {
  const { code, io } = await convert(`${CAPTURE}goroutine.debug2.txt`, '-o', 'dump.pb.gz');
  assert.equal(io.err(), '');
  assert.equal(code, 0);
  const profile = decodeProfile(gunzipSync(written('dump.pb.gz')));
  assert.equal(total(profile), 485);
  const keys = new Set(Array.from(profile.samples.labels.key, key => profile.strings[key]));
  for (const key of ['state', 'creator', 'controller', 'logicalcluster']) assert.ok(keys.has(key), key);
});

test('pprof to folded and back keeps every byte of the chosen value', async () => {
  assert.equal((await convert(`${CAPTURE}heap.debug0.pb.gz`, '-o', 'heap.folded')).code, 0);
  assert.equal((await convert('heap.folded', '-o', 'again.pb')).code, 0);
  assert.equal((await convert('again.pb', '-o', 'again.txt')).code, 0);
  assert.deepEqual(written('again.txt'), written('heap.folded'));
  const named = await convert(
    `${CAPTURE}heap.debug0.pb.gz`,
    '-o',
    '-',
    '--to',
    'folded',
    '--sample-index',
    'alloc_space',
  );
  assert.notEqual(named.io.out(), written('heap.folded').toString());
});

test('speedscope', async () => {
  assert.equal((await convert(`${CAPTURE}heap.debug0.pb.gz`, '-o', 'heap.speedscope.json')).code, 0);
  const file = JSON.parse(written('heap.speedscope.json').toString());
  assert.equal(file.name, 'heap.debug0.pb.gz');
  assert.deepEqual(
    file.profiles.map((profile: { unit: string }) => profile.unit),
    ['none', 'bytes', 'none', 'bytes'],
  );
  assert.equal(file.activeProfileIndex, 3);
});

test('usage errors are one line and exit 2', async () => {
  const heap = `${CAPTURE}heap.debug0.pb.gz`;
  const cases: [string[], RegExp][] = [
    [[], /^oakum: convert takes one input, got 0;/],
    [[heap], /needs -o OUT/],
    [[heap, '-o', 'x.unknown'], /implies no format: add --to/],
    [[heap, '-o', '-'], /-o - needs --to/],
    [[heap, '-o', 'x', '--to', 'svg'], /--to takes pprof, folded or speedscope, not svg/],
    [[heap, '-o', 'x.pb', '--all-types'], /are for folded/],
    [[heap, '-o', 'x.pb', '--nope'], /^oakum: unknown option --nope; see oakum convert --help\n$/],
    [[heap, '-o', 'x.pb', '--sample-index', '9'], /--sample-index 9 is outside the range/],
  ];
  for (const [argv, message] of cases) {
    const { code, io } = await convert(...argv);
    assert.equal(code, 2, argv.join(' '));
    assert.match(io.err(), message);
    assert.equal(io.err().split('\n').length, 2);
  }
});

test('an input that cannot be read exits 3 and writes nothing', async () => {
  writeFileSync(join(folder, 'bad.folded'), 'a;b 1\na;b x\n');
  const before = readdirSync(folder);
  const { code, io } = await convert('bad.folded', '-o', 'out.pb.gz');
  assert.equal(code, 3);
  assert.match(io.err(), /^oakum: bad\.folded: .*\n$/);
  assert.deepEqual(readdirSync(folder), before);
});

test('the output is complete or absent, and links and devices are written through', async () => {
  const heap = `${CAPTURE}heap.debug0.pb.gz`;
  const { code, io } = await convert(heap, '-o', 'no/such/folder/x.pb');
  assert.equal(code, 4);
  assert.match(io.err(), /^oakum: open no\/such\/folder\/x\.pb: no such file or directory\n$/);
  writeFileSync(join(folder, 'target.pb'), '');
  symlinkSync('target.pb', join(folder, 'link.pb'));
  assert.equal((await convert(heap, '-o', 'link.pb')).code, 0);
  assert.ok(written('target.pb').length > 0);
  assert.equal((await convert(heap, '-o', '/dev/null', '--to', 'folded')).code, 0);
  assert.deepEqual(
    readdirSync(folder).filter(name => name.endsWith('.tmp')),
    [],
  );
});
