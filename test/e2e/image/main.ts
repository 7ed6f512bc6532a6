/**
 * npm run e2e:image
 *
 * Builds the image twice, which must give the same digest below 60 MB, and runs Oakum from its root file system, as its
 * user: `version`, `analyze` on a profile, `watch --demo` with the web UI. Needs umoci, skopeo and root. Exits 1 if
 * anything failed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetView } from '../../../src/watch/views/fleet.ts';
import { ROOT } from '../../places.ts';
import { printStartUp } from '../start-up.ts';

const MAX_BYTES = 60e6;
const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-image-'));
const rootfs = join(folder, 'bundle/rootfs');
const CHROOT = ['--userspec=65532:65532', rootfs, '/usr/bin/oakum'];
try {
  if (process.getuid?.() === 0) await main();
  else console.log('skipped: it needs root, for chroot');
} catch (error) {
  console.log(`FAILED: ${(error as Error).stack}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function main(): Promise<void> {
  const [one, other] = [build('a'), build('b')];
  assert.equal(one.digest, other.digest, 'the same sources give the same image');
  assert.ok(one.bytes < MAX_BYTES, `${one.bytes} bytes`);
  console.log(`${(one.bytes / 1e6).toFixed(1)} MB compressed, twice ${one.digest}`);
  run('umoci', ['unpack', '--image', `${join(folder, 'a')}:${one.version}`, join(folder, 'bundle')]);

  const sbom = JSON.parse(readFileSync(join(rootfs, 'usr/share/oakum/sbom.cdx.json'), 'utf8'));
  const names: string[] = sbom.components.map(({ name }: { name: string }) => name);
  for (const name of ['node', 'hono', 'yaml', 'node-sqlite3-wasm']) assert.ok(names.includes(name), `SBOM: ${name}`);
  assert.ok(!names.includes('typescript'), 'only what ships');
  assert.deepEqual(
    ['bin/sh', 'usr/bin/sh', 'usr/bin/npm'].filter(path => existsSync(join(rootfs, path))),
    [],
  );
  console.log(`SBOM: ${names.length} components; programs: ${readdirSync(join(rootfs, 'usr/bin')).join(' ')}`);

  assert.match(inside(['version']).stdout, /^oakum \d/);
  const input = readFileSync(join(ROOT, 'test/fixtures/captures/leakdemo/go1.19/t3/goroutine.debug2.txt'));
  const analysis = inside(['analyze', '-'], input);
  assert.equal(analysis.status, 0, analysis.stderr);
  const own = spawnSync(process.execPath, [join(ROOT, 'bin/oakum.js'), 'analyze', '-'], { encoding: 'utf8', input });
  assert.equal(analysis.stdout, own.stdout);
  console.log('analyze prints what the npm package prints');
  const env = { PATH: '/usr/bin:/usr/sbin', HOME: '/data' };
  printStartUp([{ name: 'image', command: ['chroot', ...CHROOT], cwd: folder, env }], [['--version'], ['--help']]);
  await demo();
  console.log('watch --demo finds the leaks, and serves the web UI');
}

function build(name: string): { digest: string; bytes: number; version: string } {
  const out = join(folder, name);
  run(process.execPath, ['scripts/make-image.mjs', '--out', out]);
  const { manifests } = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
  const blobs = join(out, 'blobs/sha256');
  const bytes = readdirSync(blobs).reduce((sum, blob) => sum + statSync(join(blobs, blob)).size, 0);
  return {
    digest: manifests[0].digest,
    bytes,
    version: manifests[0].annotations['org.opencontainers.image.ref.name'],
  };
}

function inside(args: readonly string[], input: Uint8Array = new Uint8Array()) {
  return spawnSync('chroot', [...CHROOT, ...args], {
    encoding: 'utf8',
    input,
    env: { PATH: '/usr/bin:/usr/sbin', HOME: '/data' },
  });
}

async function demo(): Promise<void> {
  const args = ['watch', '--demo', '--pace', '120', '--listen', '127.0.0.1:0'];
  const child = spawn('chroot', [...CHROOT, ...args], { env: { PATH: '/usr/bin:/usr/sbin', HOME: '/data' } });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  try {
    const deadline = Date.now() + 120_000;
    for (;;) {
      assert.ok(Date.now() < deadline, text);
      await new Promise(resolve => setTimeout(resolve, 500));
      const [, url] = /^ {2}(http:\/\/\S+)$/m.exec(text) ?? [];
      if (url === undefined) continue;
      const fleet = (await (await fetch(`${url}/api/v1/fleet`)).json()) as FleetView;
      if (fleet.counts.leak === 0) continue;
      assert.match(await (await fetch(url)).text(), /<!doctype html>/i);
      return;
    }
  } finally {
    child.kill('SIGTERM');
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
