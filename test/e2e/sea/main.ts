/**
 * npm run e2e:sea
 *
 * Builds the single executable and compares it with the npm package: every command's help, reports, completion, and
 * `watch` with its threads, SQLite, the web UI and the demo, in a folder without anything else. Prints what each form
 * costs to start. Two minutes. Exits 1 if anything failed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import type { FleetView } from '../../../src/model/watch.ts';
import { startGoDaemon } from '../../double/go-daemon.ts';
import { ROOT } from '../../places.ts';

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
  for (const name of names) same([name, '--help']);
  for (const args of [
    ['--help'],
    ['--version'],
    ['version'],
    ['completion', 'bash'],
    ['pprof', '-top', 'heap.pb.gz'],
    ['analyze', 'heap.pb.gz'],
    ['rules', '--format', 'grafana'],
    ['catalogue', 'list'],
    ['nonsense'],
  ])
    same(args);
  symlinkSync(sea, join(folder, 'kubectl-oakum'));
  assert.match(outcome(join(folder, 'kubectl-oakum'), ['--help']).out, /kubectl oakum/);
  console.log(`${names.length} commands and 9 calls print what the npm package prints`);

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
  costs();
  return 0;
}

/** In CPU time, which does not depend on what else runs. */
function costs(): void {
  copyFileSync(join(ROOT, 'test/fixtures/captures/leakdemo/go1.19/t3/heap.debug0.pb.gz'), join(folder, 'heap.pb.gz'));
  const forms = { 'npm package': [process.execPath, join(ROOT, 'bin/oakum.js')], 'single file': [sea] };
  for (const args of [['--version'], ['--help'], ['pprof', '-top', 'heap.pb.gz']])
    for (const [form, [program = '', ...first]] of Object.entries(forms)) {
      const times = Array.from({ length: 9 }, () => {
        const child = spawnSync(
          'sh',
          ['-c', 'times_of() { "$@" >/dev/null; times; }; times_of "$@"', 'sh', program, ...first, ...args],
          {
            cwd: folder,
            encoding: 'utf8',
          },
        );
        const [, user = '', system = ''] = /\n(\S+) (\S+)\s*$/.exec(child.stdout) ?? [];
        return secondsOf(user) + secondsOf(system);
      }).sort((a, b) => a - b);
      console.log(
        `${form.padEnd(12)} oakum ${args.join(' ').padEnd(24)} ${((times[4] ?? 0) * 1000).toFixed(0)} ms of CPU`,
      );
    }
}

function secondsOf(text: string): number {
  const [, minutes = '0', seconds = '0'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

function outcome(program: string, args: readonly string[]): { code: number | null; out: string; err: string } {
  const fixture = join(ROOT, 'test/fixtures/captures/leakdemo/go1.19/t3/heap.debug0.pb.gz');
  copyFileSync(fixture, join(folder, 'heap.pb.gz'));
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
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
