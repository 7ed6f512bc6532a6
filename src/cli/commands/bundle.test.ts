import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import type { Analysis } from '../../judge/analysis.ts';
import type { BundleManifest } from '../../evidence/bundle.ts';
import { memoryIo, type MemoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LEAKDEMO = join(ROOT, 'test/fixtures/captures/leakdemo/go1.27');
/** Enough where it matters how a bundle is written, not what is in it. */
const TWO_PROFILES = join(LEAKDEMO, 't0');
const LEAK_A = join(RECORDINGS, 'lab/leak-a');
const hasTar = spawnSync('tar', ['--version']).status === 0;

let folder = '';
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'oakum-bundle-'))));
after(() => rm(folder, { recursive: true }));

async function bundle(...argv: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo({ cwd: folder });
  return { code: await run(['bundle', ...argv], io), io };
}

async function analyze(path: string): Promise<Analysis> {
  const io = memoryIo({ cwd: folder });
  assert.equal(await run(['analyze', path, '-o', 'json'], io), 0, io.err());
  return JSON.parse(io.out()) as Analysis;
}

/** The findings of an analysis, independent of the names of targets. */
function tell({ verdict, findings }: Analysis): unknown {
  const rows = findings.map(({ resource, verdict: of, family, count, bytes, growth, matches }) =>
    JSON.stringify([resource, of, family.id, count, bytes, growth, matches.map(({ id, grade }) => [id, grade])]),
  );
  return [verdict, rows.sort()];
}

async function unpack(file: string): Promise<{ into: string; manifest: BundleManifest }> {
  const into = await mkdtemp(join(folder, 'unpacked-'));
  assert.equal(spawnSync('tar', ['-xzf', file, '-C', into]).status, 0);
  return { into, manifest: JSON.parse(await readFile(join(into, 'MANIFEST.json'), 'utf8')) as BundleManifest };
}

describe('oakum bundle', () => {
  it('writes one with the same findings as its originals, and verifies it', async () => {
    const made = await bundle(LEAKDEMO, '-o', 'out.tar.gz');
    assert.equal(made.code, 0, made.io.err());
    assert.match(
      made.io.out(),
      /^wrote {5}out\.tar\.gz: .* files.*\nredacted {2}.*\nsearched .*none is left.*\nanalysis .*\n +the same findings/,
    );
    assert.deepEqual(tell(await analyze('out.tar.gz')), tell(await analyze(LEAKDEMO)));
    const verified = await bundle('verify', 'out.tar.gz');
    assert.equal(verified.code, 0, verified.io.err());
    assert.match(verified.io.out(), /sound; \d+ files, whole and readable; redacted, with nothing left to redact/);
  });

  it('gives the same bytes under the same key', async () => {
    await writeFile(join(folder, 'key'), 'k'.repeat(32));
    for (const name of ['a.tgz', 'b.tgz'])
      assert.equal((await bundle(TWO_PROFILES, '-o', name, '--key-file', 'key')).code, 0);
    assert.deepEqual(await readFile(join(folder, 'a.tgz')), await readFile(join(folder, 'b.tgz')));
    await bundle(TWO_PROFILES, '-o', 'c.tgz');
    assert.notDeepEqual(await readFile(join(folder, 'c.tgz')), await readFile(join(folder, 'a.tgz')));
  });

  it('warns loudly if nothing is redacted', async () => {
    const { code, io } = await bundle(TWO_PROFILES, '-o', 'plain.tgz', '--no-redact');
    assert.equal(code, 0);
    assert.match(io.err(), /NOT REDACTED/);
    assert.match(io.out(), /redacted {2}NOTHING/);
    assert.match((await bundle('verify', 'plain.tgz')).io.out(), /NOT REDACTED/);
  });

  it('refuses to write to a folder', async () => {
    const io = memoryIo({ cwd: folder });
    assert.equal(await run(['bundle', folder, '-o', '.'], io), 2);
    assert.equal(io.err(), 'oakum: -o . is a folder: give the name of a file in it\n');
  });

  it('explains each failure and uses its exit code', async () => {
    await writeFile(join(folder, 'short'), 'k');
    await writeFile(join(folder, 'broken.tgz'), 'nonsense');
    await writeFile(join(folder, 'notes.bin'), Uint8Array.of(0, 1, 2));
    const cases: readonly (readonly [number, RegExp, ...string[]])[] = [
      [2, /needs -o FILE/, TWO_PROFILES],
      [2, /--include-unknown needs --no-redact/, TWO_PROFILES, '-o', 'x', '--include-unknown'],
      [2, /exclude each other/, TWO_PROFILES, '-o', 'x', '--no-redact', '--redact-modules', 'a/*'],
      [2, /takes one FILE/, 'verify'],
      [3, /missing: no such file/, 'missing', '-o', 'x'],
      [3, /16 bytes or more, it has 1/, TWO_PROFILES, '-o', 'x', '--key-file', 'short'],
      [3, /nothing there can go into a bundle/, 'notes.bin', '-o', 'x'],
      [3, /no such file/, 'verify', 'missing'],
      [4, /broken\.tgz: (?:not a tar|no MANIFEST)/, 'verify', 'broken.tgz'],
      [4, /nowhere\/x\.tgz/, TWO_PROFILES, '-o', 'nowhere/x.tgz'],
    ];
    for (const [code, message, ...argv] of cases) {
      const result = await bundle(...argv);
      assert.equal(result.code, code, argv.join(' '));
      assert.match(result.io.err(), message);
    }
    assert.equal(existsSync(join(folder, 'x')), false, 'nothing is left behind');
  });

  it('holds profiles with the same numbers, for go tool pprof too', { skip: !hasTar && 'tar is missing' }, async t => {
    assert.equal((await bundle(TWO_PROFILES, '-o', 'numbers.tgz')).code, 0);
    const { into, manifest } = await unpack(join(folder, 'numbers.tgz'));
    const heap = manifest.files.find(({ path, format }) => format === 'pprof' && path.includes('heap'))!;
    const top = async (path: string): Promise<string[]> => {
      const io = memoryIo();
      assert.equal(await run(['pprof', '-top', path], io), 0, io.err());
      // The binary's name is hidden; everything else is the same to the letter.
      return io
        .out()
        .split('\n')
        .filter(line => !line.startsWith('File: '));
    };
    const original = readdirSync(TWO_PROFILES, { recursive: true, encoding: 'utf8' }).find(
      name => heap.path.endsWith(`/${name}`) || heap.path.endsWith(`/${name}.gz`),
    )!;
    assert.deepEqual(await top(join(into, heap.path)), await top(join(TWO_PROFILES, original)));
    if (spawnSync('go', ['version']).status !== 0) return t.diagnostic('go is missing: only our own pprof was asked');
    const goTop = (path: string): string[] => {
      const { stdout, status, stderr } = spawnSync('go', ['tool', 'pprof', '-top', path], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return stdout.split('\n').filter(line => !line.startsWith('File: '));
    };
    assert.deepEqual(goTop(join(into, heap.path)), goTop(join(TWO_PROFILES, original)));
  });
});

describe('oakum bundle on recorded nodes', () => {
  before(async () => {
    const times = /-(?!1794772045|1794773125|1794774072)\d{10}\./;
    await cp(LEAK_A, join(folder, 'leak-a'), { recursive: true, filter: path => !times.test(path) });
  });

  // leak-a with every kind of file that was recorded of it, at three of nine times; the others, one with a restart and
  // one without a leak, as far as the demo has them.
  for (const [node, path] of [
    ['leak-a', 'leak-a'],
    ['leak-b', join(ROOT, 'demo/leak-b')],
    ['fix-a', join(ROOT, 'demo/fix-a')],
  ] as const) {
    it(`${node}: the same findings, and none of its names`, async () => {
      const { code, io } = await bundle(path, '-o', `${node}.tgz`);
      assert.equal(code, 0, io.err());
      assert.match(io.out(), /the same findings as the originals/);
      assert.deepEqual(tell(await analyze(`${node}.tgz`)), tell(await analyze(path)));
      assert.equal(io.out().replace(`${node}.tgz`, '').includes(node), false);
    });
  }
});
