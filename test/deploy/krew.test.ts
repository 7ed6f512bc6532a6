/** The krew manifest keeps krew's rules, which are tried on broken ones first. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { ROOT } from '../places.ts';

type Manifest = Record<string, any>;
const { krewManifest, krewProblems, PLATFORMS } = (await import(
  pathToFileURL(join(ROOT, 'scripts/release/krew.mjs')).href
)) as {
  krewManifest(release: object): Manifest;
  krewProblems(manifest: Manifest, fileName: string): string[];
  readonly PLATFORMS: readonly { readonly os: string; readonly arch: string }[];
};

const made = (): Manifest =>
  krewManifest({
    version: '1.2.3',
    baseUrl: 'https://example.com/v1.2.3',
    homepage: 'https://example.com',
    archives: PLATFORMS.map(platform => ({ ...platform, sha256: 'a'.repeat(64) })),
  });

it('keeps the rules of krew', () => {
  assert.deepEqual(krewProblems(made(), 'oakum'), []);
  assert.ok(made()['spec'].shortDescription.length <= 60, 'the index asks for a short one');
});

it('the rules find what is wrong', () => {
  const wrong: readonly (readonly [(manifest: Manifest) => void, RegExp])[] = [
    [m => (m['apiVersion'] = 'v1'), /apiVersion/],
    [m => (m['metadata'].name = 'oa kum'), /safe/],
    [m => (m['metadata'].name = 'other'), /file/],
    [m => (m['spec'].version = '1.2.3'), /semantic version with v/],
    [m => (m['spec'].version = 'v1.2'), /semantic version/],
    [m => (m['spec'].shortDescription = 'a\nb'), /one line/],
    [m => (m['spec'].platforms = []), /no platforms/],
    [m => (m['spec'].platforms[0].uri = 'https://example.com/oakum.xz'), /\.tar\.gz/],
    [m => (m['spec'].platforms[0].sha256 = 'abc'), /64 hex/],
    [m => (m['spec'].platforms[0].bin = ''), /no bin/],
    [m => delete m['spec'].platforms[0].selector, /no selector/],
    [m => (m['spec'].platforms[0].selector.matchLabels.libc = 'musl'), /another key/],
    [m => (m['spec'].platforms[0].files = []), /files is empty/],
    [m => (m['spec'].platforms[0].files = [{ from: 'x' }]), /no from or no to/],
    [m => (m['spec'].platforms[4].bin = 'oakum'), /\.exe/],
  ];
  for (const [change, says] of wrong) {
    const manifest = made();
    change(manifest);
    assert.match(krewProblems(manifest, 'oakum').join('; '), says);
  }
});

it('names the archives that are there, with their checksums', t => {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-krew-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(ROOT, 'scripts/make-krew.mjs');
  const make = () =>
    spawnSync(process.execPath, [script, '--archives', folder, '--base-url', 'https://example.com/v/'], {
      encoding: 'utf8',
    });
  assert.match(make().stderr, /has no archive such as oakum-linux-amd64\.tar\.gz/);
  writeFileSync(join(folder, 'oakum-linux-amd64.tar.gz'), 'x');
  const { stdout, status } = make();
  assert.equal(status, 0);
  const [platform, ...others] = (parse(stdout) as Manifest)['spec'].platforms;
  assert.deepEqual(others, []);
  assert.equal(platform.uri, 'https://example.com/v/oakum-linux-amd64.tar.gz');
  assert.equal(platform.sha256, createHash('sha256').update('x').digest('hex'));
});
