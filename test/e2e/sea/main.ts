/**
 * npm run e2e:sea
 *
 * Builds the single executable and compares it with the npm package: every command's help and a call of each, and
 * `watch` with its threads, SQLite, the web UI and the demo, in a folder without anything else. Prints what each form
 * costs to start, also npx from the packed tarball in an empty folder. Three minutes. Exits 1 if anything failed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import type { FleetView } from '../../../src/watch/views/fleet.ts';
import { startGoDaemon } from '../../double/go-daemon.ts';
import { npm, outsideOfNpm } from '../../package/installed-package.ts';
import { ROOT } from '../../places.ts';
import { type Form, printStartUp } from '../start-up.ts';
import { CALLS, OTHER_CALLS, REFUSING_CLUSTER } from './calls.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-sea-'));
const sea = join(folder, 'oakum');
try {
  process.exitCode = await main();
} catch (error) {
  console.log(`FAILED: ${(error as Error).stack}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function main(): Promise<number> {
  const built = spawnSync(process.execPath, ['scripts/make-sea.mjs', '--out', sea], { cwd: ROOT, stdio: 'inherit' });
  assert.equal(built.status, 0);
  const same = (args: readonly string[]): void => {
    const [one, other] = [outcome(sea, args), outcome(process.execPath, [join(ROOT, 'bin/oakum.js'), ...args])];
    assert.deepEqual(one, other, args.join(' '));
  };
  const names = Object.keys(COMMANDS);
  assert.deepEqual(Object.keys(CALLS).sort(), [...names].sort(), 'a call of every command');
  for (const name of names) same([name, '--help']);
  const calls = [...Object.values(CALLS).flat(), ...OTHER_CALLS];
  for (const args of calls) same(args);
  const { form } = JSON.parse(outcome(sea, ['version', '-o', 'json']).out) as { form: string };
  assert.equal(form, 'single file');
  symlinkSync(sea, join(folder, 'kubectl-oakum'));
  assert.match(outcome(join(folder, 'kubectl-oakum'), ['--help']).out, /kubectl oakum/);
  console.log(`the help of ${names.length} commands and ${calls.length} calls print what the npm package prints`);

  const daemon = await startGoDaemon();
  await withWatch([daemon.url, '--interval', '5s', '--data', 'data'], async url => {
    await until(async () =>
      ((await get(`${url}/api/v1/fleet`)) as FleetView).rows.some(row => row.lastSampleAt !== null),
    );
    const page = await (await fetch(url)).text();
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
    assert.equal((await fetch(url + script)).status, 200, 'the web UI');
  });
  const { size } = statSync(join(folder, 'data/oakum.db'));
  await withWatch([daemon.url, '--interval', '5s', '--data', 'data'], async url => {
    const { rows } = (await get(`${url}/api/v1/fleet`)) as FleetView;
    assert.ok(rows.some(({ target }) => target === daemon.url));
  });
  console.log(`watch samples, keeps its store (${size} bytes), resumes, and serves the web UI`);
  await withWatch(['--demo', '--pace', '120'], async url => {
    await until(async () => ((await get(`${url}/api/v1/fleet`)) as FleetView).counts.leak > 0);
  });
  console.log('watch --demo finds the leaks of the recording');
  copyFileSync(join(ROOT, 'test/fixtures/captures/leakdemo/go1.19/t3/heap.debug0.pb.gz'), join(folder, 'heap.pb.gz'));
  const forms = [
    { name: 'npm package', command: [process.execPath, join(ROOT, 'bin/oakum.js')], cwd: folder },
    { name: 'single file', command: [sea], cwd: folder },
  ];
  printStartUp(forms, [['--version'], ['--help'], ['pprof', '-top', 'heap.pb.gz']]);
  printStartUp([npxForm()], [['--version']]);
  return 0;
}

/** The package as npm would publish it, run by npx in an empty folder. */
function npxForm(): Form {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const packed = npm(ROOT, 'pack', `--pack-destination=${folder}`);
  assert.equal(packed?.status, 0, packed?.stderr);
  const [tarball = ''] = readdirSync(folder).filter(name => name.endsWith('.tgz'));
  // npx would take an absolute path for a program; a relative one it installs.
  const command = ['npx', '--yes', `../${tarball}`];
  const own = outcome(process.execPath, [join(ROOT, 'bin/oakum.js'), 'version']);
  const env = { ...outsideOfNpm(), npm_config_cache: join(folder, 'npm-cache') };
  const first = spawnSync('npx', [...command.slice(1), 'version'], { cwd: empty, encoding: 'utf8', env });
  assert.deepEqual({ code: first.status, out: first.stdout }, { code: 0, out: own.out }, first.stderr);
  console.log(`npx ./${tarball} version works in an empty folder; packed ${megabytes(join(folder, tarball))}`);
  return { name: 'npx of a tarball', command, cwd: empty, env, runs: 3 };
}

function megabytes(path: string): string {
  return `${(statSync(path).size / 1e6).toFixed(1)} MB`;
}

/** Each call in a folder of its own, with the same name, since that names a target, and the same files. */
function outcome(program: string, args: readonly string[]): { code: number | null; out: string; err: string } {
  const cwd = join(mkdtempSync(join(folder, 'call-')), 'worker-17');
  mkdirSync(cwd);
  const fixtures = join(ROOT, 'test/fixtures/captures/leakdemo/go1.19/t3');
  copyFileSync(join(fixtures, 'heap.debug0.pb.gz'), join(cwd, 'heap.pb.gz'));
  copyFileSync(join(fixtures, 'goroutine.debug2.txt'), join(cwd, 'dump.txt'));
  writeFileSync(join(cwd, 'kubeconfig'), JSON.stringify(REFUSING_CLUSTER));
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  const withoutTimes = (text: string): string =>
    text
      .replaceAll(cwd, 'FOLDER')
      .replace(/\d{8}T\d{4}Z/g, 'TIME')
      .replace(/redacted-[a-z]+/g, 'REDACTED')
      .replace(/\d+(?:\.\d+)? m?s\b/g, 'DURATION');
  return { code: status, out: withoutTimes(stdout), err: withoutTimes(stderr) };
}

async function withWatch(args: readonly string[], work: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(sea, ['watch', '--listen', 'localhost:0', ...args], { cwd: folder });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise(resolve => child.once('exit', resolve));
  try {
    await until(async () => /^ {2}http:\/\/\S+$/m.test(text) || child.exitCode !== null);
    const [, url] = /^ {2}(http:\/\/\S+)$/m.exec(text) ?? [];
    assert.ok(url !== undefined, text);
    await work(url);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'not within two minutes');
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}
