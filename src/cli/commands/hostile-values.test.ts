/** Any value of an option leads to a message and an exit code, never to an internal error. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { memoryIo, type MemoryIoOptions } from '../../../test/double/memory-io.ts';
import { COMMANDS } from '../command-table.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const parent = mkdtempSync(join(tmpdir(), 'oakum-hostile-'));
after(() => rmSync(parent, { recursive: true }));
/** Not the folder of all temporary files, because `..` is one of the values. */
const folder = join(parent, 'cwd');
mkdirSync(folder);

async function call(argv: readonly string[], options: MemoryIoOptions = {}): Promise<{ code: number; err: string }> {
  const io = memoryIo({ cwd: folder, ...options });
  return { code: await run(argv, io), err: io.err() };
}

/** Texts that are not addresses, or addresses that must not be used. */
const NO_URLS = [
  '',
  ' ',
  'http://',
  'https://',
  'http:',
  '://',
  '//localhost',
  'https://:0',
  'http://:80/x',
  'http://a b',
  'http://localhost:99999',
  'http://localhost:port',
  'http://[::1',
  'http://%',
  'ftp://localhost',
  'localhost:9090',
  'http://user:password@localhost',
  `http://${'a '.repeat(5000)}`,
  'http://\u0007',
];

describe('an invalid URL', () => {
  for (const command of ['doctor', 'triage', 'watch']) {
    it(`${command} --prometheus refuses it`, async () => {
      const target = command === 'watch' ? [] : ['http://127.0.0.1:1'];
      for (const url of NO_URLS) {
        const { code, err } = await call([command, ...target, '--prometheus', url]);
        assert.equal(code, EXIT.usage, `${url}: ${err}`);
        assert.match(err, /^oakum: .{1,300}; see oakum \w+ --help\n$/);
        assert.doesNotMatch(err, /user:password/);
      }
    });
  }

  it('is refused as a target', async () => {
    for (const command of ['doctor', 'triage', 'capture', 'watch', 'collect-script']) {
      for (const url of NO_URLS) {
        const { code, err } = await call([command, url]);
        assert.equal(code, EXIT.usage, `${command} ${url}: ${err}`);
      }
    }
  });

  it('is refused as an address to listen on', async () => {
    for (const url of [...NO_URLS, 'localhost:99999', '[::1:80', 'x'.repeat(5000), ':-1', '0.0.0.0']) {
      if (url === 'localhost:9090') continue;
      const { code, err } = await call(['watch', '--demo', '--listen', url]);
      assert.equal(code, EXIT.usage, `${url}: ${err}`);
      const served = await call(['pprof', `-http=${url}`, 'no-such-profile']);
      assert.equal(served.code, EXIT.usage, `${url}: ${served.err}`);
    }
  });

  it('is refused as a pprof source', async () => {
    for (const url of [...NO_URLS.filter(known => known !== '' && known !== 'localhost:9090'), 'unix://', 'unix:///']) {
      if (url.startsWith('http://user')) continue;
      const { code, err } = await call(['pprof', '-top', url]);
      assert.equal(code, EXIT.usage, `${url}: ${err}`);
      assert.match(err, /failed to fetch any source profiles\n$/);
    }
  });

  it('is refused as a proxy', async () => {
    for (const proxy of ['http://', '::', 'http://[', ' ']) {
      const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
      const { code, err } = await call(['doctor', 'http://192.0.2.1:6060', '--request-timeout', '1s'], { env });
      assert.equal(code, EXIT.couldNotObserve, `${proxy}: ${err}`);
    }
  });
});

/** Arguments that make each command read the option and then end. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  doctor: ['http://127.0.0.1:1', '--request-timeout', '1s'],
  triage: ['http://127.0.0.1:1', '--metrics-only'],
  capture: ['http://127.0.0.1:1', '--dry-run'],
  catalogue: ['list'],
  report: ['no-such-file', '--for', 'upstream'],
  convert: ['no-such-file', '-o', 'out.pb'],
  bundle: ['no-such-file', '-o', 'out.tar.gz'],
  labels: ['no-such-file'],
  rules: [],
};
const VALUES = ['', ' ', '-1', '0', '1e999', 'x'.repeat(5000), '\x1b[31m', '\u{1f4a5}', '..', '/dev/null', '=', ','];

describe('odd values of every option', () => {
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    if (['watch', 'pprof', 'completion', 'version', 'collect-script'].includes(name)) continue;
    it(name, async () => {
      const { flags } = await load();
      for (const { names, takesValue } of flags) {
        if (!takesValue) continue;
        for (const value of VALUES) {
          const argv = [name, ...(ENDS[name] ?? ['no-such-file']), `${names.at(-1)}=${value}`];
          const { code, err } = await call(argv);
          const isExpected = code <= EXIT.actionFailed;
          assert.ok(isExpected, `${argv.join(' ').slice(0, 200)}: ${code} ${err}`);
          for (const line of err.split('\n')) assert.ok(line.length < 12_000 && !line.includes('\x1b'), argv.join(' '));
        }
      }
    });
  }
});

describe('start times that cannot be', () => {
  for (const start of ['NaN', '+Inf', '-Inf', '-5', '1e300', '100\nprocess_start_time_seconds 200']) {
    it(JSON.stringify(start), async () => {
      const folder = await mkdtemp(join(tmpdir(), 'oakum-starts-'));
      try {
        for (const at of [1794772300, 1794772600, 1794772900])
          await writeFile(
            join(folder, `metrics-${at}.prom`),
            `go_goroutines 5\nconstructor{name="a"} 1\n__proto__{constructor="b"} 2\nprocess_start_time_seconds ${start}\n`,
          );
        // One that can be, beside them.
        await writeFile(
          join(folder, 'metrics-1794773200.prom'),
          'go_goroutines 5\nprocess_start_time_seconds 1794770000\n',
        );
        for (const command of [
          ['analyze'],
          ['detect'],
          ['cycle'],
          ['report', '--for', 'upstream'],
          ['bundle', '-o', 'o.tgz'],
        ]) {
          const io = memoryIo({ cwd: folder });
          const code = await run([...command, '.'], io);
          assert.ok(code === 0 || code === 3, `${command.join(' ')} exits with ${code}: ${io.err()}`);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
