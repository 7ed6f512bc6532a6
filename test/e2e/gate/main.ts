/**
 * npm run e2e:gate [-- RUNS [JOBS]]
 *
 * Builds a small Go program that leaves one thing of each kind behind per operation, or only looks like it, and lets
 * `oakum gate` decide, RUNS times each (1 by default, about six minutes), JOBS at a time. Prints a table; exits 1 if any
 * decision is wrong.
 */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../..');
const RUNS = Number(process.argv[2] ?? 1);
const JOBS = Number(process.argv[3] ?? 1);

interface Case {
  readonly mode: string;
  /** The exit code. */
  readonly code: number;
  /** What the answer must say. */
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  { mode: 'goroutine', code: 1, says: /1 goroutine\b[^]*LEAK {2}main\.forward/ },
  { mode: 'goroutine in 50', code: 1, says: /0\.02 goroutines[^]*LEAK {2}main\.forward/ },
  { mode: 'context', code: 1, says: /of heap|objects/ },
  { mode: 'timer', code: 1, says: /of heap|objects/ },
  { mode: 'map, 1 KiB', code: 1, says: /1\.\d+ KiB of heap[^]*LEAK {2}main\.keep/ },
  { mode: 'descriptor', code: 1, says: /1 file descriptor/ },
  { mode: 'lock', code: 1, says: /1 goroutine\b[^]*LEAK {2}\S*(?:Lock|main)/ },
  { mode: 'cgo', code: 1, says: /of memory outside the Go heap/ },
  { mode: 'series', code: 1, says: /1 metric series/ },
  { mode: 'thread', code: 1, says: /1 goroutine\b[^]*LEAK {2}main\./ },
  {
    mode: 'per hour',
    code: 0,
    says: /^WITHIN BUDGET[^]*per hour with or without operations[^]*GROWS {2}main\.forward/,
  },
  { mode: 'crash', code: 3, says: /the target crashed: .*panic: assignment to entry in nil map/ },
  ...['idle', 'cache', 'cache, random keys', 'pool', 'short', 'cancelled', 'cgo, freed', 'mapped file'].map(mode => ({
    mode,
    code: 0,
    says: /^WITHIN BUDGET/,
  })),
];
/** Round trips without a shell or curl, so that it runs anywhere. */
const CHURN =
  "for (let i = 0; i < 50; i++) await (await fetch(process.argv[1] + '/op')).text(); console.log('OAKUM_OPERATIONS=50')";

process.exitCode = await main();

async function main(): Promise<number> {
  if (spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' }).status !== 0) return 1;
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-gate-'));
  try {
    copyFileSync(join(HERE, 'program.go.txt'), join(folder, 'main.go'));
    writeFileSync(join(folder, 'go.mod'), 'module example.com/operations\n\ngo 1.24\n');
    const built = spawnSync('go', ['build', '-o', 'operations', '.'], { cwd: folder, stdio: 'inherit' });
    if (built.status !== 0) {
      process.stderr.write('the program cannot be built: is Go installed?\n');
      return 1;
    }
    let wrong = 0;
    process.stdout.write('| program | run | right | answer |\n| --- | --- | --- | --- |\n');
    const work = CASES.flatMap(one => Array.from({ length: RUNS }, (_, i) => ({ one, run: i + 1 })));
    await Promise.all(
      Array.from({ length: JOBS }, async () => {
        for (let next = work.shift(); next !== undefined; next = work.shift()) {
          const { one, run } = next;
          const { code, out, said } = await gate(one.mode, folder, `${one.mode.replace(/\W+/g, '-')}-${run}`);
          const isRight = code === one.code && one.says.test(out);
          if (!isRight) wrong++;
          process.stdout.write(`| ${one.mode} | ${run} | ${isRight ? 'yes' : '**no**'} | ${said} |\n`);
          if (!isRight) process.stderr.write(`${out}\n`);
        }
      }),
    );
    process.stdout.write(wrong === 0 ? 'everything was decided right\n' : `${wrong} wrong\n`);
    return wrong === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gate(
  mode: string,
  folder: string,
  evidence: string,
): Promise<{ code: number | null; out: string; said: string }> {
  const port = await freePort();
  const target = `http://127.0.0.1:${port}`;
  const start = `./operations -mode '${mode}' -addr 127.0.0.1:${port}`;
  const args = [join(ROOT, 'bin/oakum.js'), 'gate', '--start', start, '--target', target, '--evidence', evidence];
  const startedAt = Date.now();
  const child = spawn(process.execPath, [...args, '--', process.execPath, '--input-type=module', '-e', CHURN, target], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', chunk => (out += String(chunk)));
  child.stderr.on('data', chunk => (err += String(chunk)));
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  rmSync(join(folder, evidence), { recursive: true, force: true });
  const [first = '', rounds = ''] = out.split('\n');
  const family = /^LEAK {2}.*$/m.exec(out)?.[0] ?? '';
  const seconds = `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  const answer = first || (err.trim().split('\n').at(-1) ?? '');
  return { code, out: out || err, said: [answer, rounds.trim(), family, seconds].filter(Boolean).join('; ') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}
