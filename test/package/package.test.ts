/** What users get: `npm pack`, installed in an empty folder, run from there. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../places.ts';
import { until } from '../until.ts';
import { installPackage, npm, type InstalledPackage, type Outcome } from './installed-package.ts';

const MEGABYTE = 1e6;
const DUMPS = join(ROOT, 'test/fixtures/captures/leakdemo/go1.27/t3');
const missing = existsSync(join(ROOT, 'dist/cli/main.js'))
  ? npm(ROOT, '--version') === undefined && 'npm is missing'
  : 'dist/ is not built: npm run build';

describe('the published package', { skip: missing }, () => {
  let installed: InstalledPackage;
  before(() => {
    installed = installPackage();
  });
  after(() => installed.remove());

  const launcher = (name = 'oakum'): string => join(installed.folder, 'node_modules/.bin', name);
  const oakum = (...args: string[]): Outcome =>
    spawnSync(process.execPath, [launcher(), ...args], { cwd: installed.folder, encoding: 'utf8' });

  it('installs oakum and SQLite, nothing else', () => {
    assert.deepEqual([...installed.packages.keys()], ['node-sqlite3-wasm', 'oakum']);
    const bytes = [...installed.packages.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < 20 * MEGABYTE, `${bytes} bytes`);
  });

  it('has the licence of every package in its bundles', () => {
    const notice = readFileSync(join(installed.folder, 'node_modules/oakum/dist/NOTICE'), 'utf8');
    const parts = notice.split(/^-{80}$/m).slice(1);
    for (const name of ['@kubernetes/client-node', 'hono', 'preact', 're2js', 'uplot', 'valibot', 'yaml']) {
      assert.ok(
        parts.some(part => part.trim().startsWith(`${name} `)),
        `${name} is not in NOTICE`,
      );
    }
    for (const part of parts) assert.match(part, /licen[cs]e|permission to use/i);
  });

  it('loads only what it installs', () => {
    const cli = join(installed.folder, 'node_modules/oakum/dist/cli');
    const loaded = readdirSync(cli).flatMap(name => {
      const imports = readFileSync(join(cli, name), 'utf8').matchAll(/(?:^|;)import[^'"();]*["']([^'"]+)["']/g);
      return [...imports].map(([, specifier]) => specifier).filter(specifier => !/^(\.|node:)/.test(specifier));
    });
    assert.deepEqual(
      [...new Set(loaded)].filter(name => !builtinModules.includes(name)),
      ['node-sqlite3-wasm'],
    );
  });

  it('npx oakum prints the help', () => {
    const help = npm(installed.folder, 'exec', '--offline', '--', 'oakum');
    assert.equal(help?.status, 0, help?.stderr);
    assert.match(help.stdout, /^Examples:\n {2}oakum triage node\/worker-17 /);
  });

  it('kubectl oakum is the same program', () => {
    const { stdout } = spawnSync(process.execPath, [launcher('kubectl-oakum'), '--version'], { encoding: 'utf8' });
    assert.match(stdout, /^oakum \d/);
  });

  it('analyze finds the leak', () => {
    const { status, stdout, stderr } = oakum('analyze', DUMPS, '--fail-on', 'leak');
    assert.equal(status, 1, stderr);
    assert.match(stdout, /leak/i);
  });

  it('doctor reads a kubeconfig', () => {
    const kubeconfig = join(installed.folder, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { token: 'x' } }],
      }),
    );
    const { status, stdout, stderr } = oakum('doctor', 'node/worker-17', '--kubeconfig', kubeconfig);
    assert.equal(status, 3, stdout + stderr);
  });

  it('the library reads a profile', () => {
    const script = `import { readFileSync } from 'node:fs'; import { gunzipSync } from 'node:zlib'; import { readProfile } from 'oakum';
      const bytes = gunzipSync(readFileSync(process.argv[1])); console.log(typeof readProfile(bytes));`;
    const argv = ['--input-type=module', '-e', script, join(DUMPS, 'heap.debug0.pb.gz')];
    const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: installed.folder, encoding: 'utf8' });
    assert.equal(stdout, 'object\n', stderr);
  });

  it('watch --demo serves the UI', async () => {
    await watching(['--demo'], async url => {
      const page = await (await fetch(url)).text();
      const [script] = /\/assets\/main-[^"]+\.js/.exec(page) ?? [];
      assert.equal((await fetch(new URL(script ?? 'no script in the page', url))).status, 200);
      await until(async () => (await (await fetch(new URL('/api/v1/fleet', url))).text()).includes('leak-a'));
    });
  });

  it('watch keeps its data in SQLite', async () => {
    const daemon = createServer((_, response) => response.end('go_goroutines 5\n')).listen(0, '127.0.0.1');
    await once(daemon, 'listening');
    try {
      const data = join(installed.folder, 'data');
      const target = `http://127.0.0.1:${(daemon.address() as AddressInfo).port}`;
      await watching([target, '--data', data], async url => {
        assert.equal((await fetch(new URL('/healthz', url))).status, 200);
      });
      assert.ok(readdirSync(data).some(name => /\.(db|sqlite)/.test(name)));
    } finally {
      daemon.close();
      daemon.closeAllConnections();
    }
  });

  /** `use` gets the address that `oakum watch` prints; then it ends as with Ctrl-C. */
  async function watching(args: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
    const argv = [launcher(), 'watch', ...args, '--listen', 'localhost:0'];
    const child = spawn(process.execPath, argv, { cwd: installed.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    let output = '';
    const address = new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', text => {
          output += text;
          const [url] = /http:\/\/localhost:\d+/.exec(output) ?? [];
          if (url !== undefined) resolve(url);
        });
      }
      child.on('exit', () => reject(new Error(`oakum watch ended: ${output}`)));
    });
    try {
      await use(await address);
    } finally {
      child.kill('SIGINT');
    }
    assert.deepEqual(await ended, [0, null], output);
  }
});

describe('the single file', () => {
  it('needs nothing that an executable cannot load', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/make-sea.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
