import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Analysis } from '../../judge/analysis.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run as runOakum } from '../run.ts';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/go1.27/', import.meta.url));
const skip = spawnSync('sh', ['-c', 'command -v tar gzip awk']).status === 0 ? false : 'sh, tar or awk is missing';
const folder = mkdtempSync(join(tmpdir(), 'oakum-collect-'));
after(() => rmSync(folder, { recursive: true }));

async function script(...argv: string[]): Promise<string> {
  const io = memoryIo();
  assert.equal(await runOakum(['collect-script', ...argv], io), 0, io.err());
  return io.out();
}

/** A kubectl that serves fixtures and logs its arguments. */
function fakeKubectl(metrics: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  const profile = (pattern: RegExp): string => {
    const name = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).find(path => pattern.test(path));
    assert.ok(name !== undefined, String(pattern));
    return join(FIXTURES, name);
  };
  writeFileSync(join(bin, 'metrics'), metrics);
  writeFileSync(
    join(bin, 'kubectl'),
    `#!/bin/sh
echo "$*" >> '${bin}/asked'
case "$*" in
  *debug/pprof/goroutine\\?debug=1*) cat '${profile(/t3.goroutine\.debug1/)}' ;;
  *debug/pprof/goroutine\\?debug=2*) cat '${profile(/t3.goroutine\.debug2/)}' ;;
  *debug/pprof/goroutine\\ *) cat '${profile(/t3.goroutine\.debug0/)}' ;;
  *debug/pprof/heap*) cat '${profile(/t3.heap\.debug0/)}' ;;
  *proxy/metrics*) cat '${bin}/metrics' ;;
  *get\\ node*) echo '{"kind":"Node","metadata":{"name":"worker-17"},"status":{"nodeInfo":{"kubeletVersion":"v1.36.0"}}}' ;;
  *) echo "Error from server (NotFound)" >&2; exit 1 ;;
esac
`,
    { mode: 0o755 },
  );
  return bin;
}

function run(
  text: string,
  bin: string,
  args: readonly string[] = [],
): { cwd: string; status: number | null; stdout: string; stderr: string } {
  const cwd = mkdtempSync(join(folder, 'run-'));
  writeFileSync(join(cwd, 'collect.sh'), text);
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, GAP: '1', TIMEOUT: '5' };
  const { status, stdout, stderr } = spawnSync('sh', ['collect.sh', ...args], { cwd, env, encoding: 'utf8' });
  return { cwd, status, stdout, stderr };
}

describe('oakum collect-script', () => {
  it('is short, plain sh, and requests nothing that may hold secrets', async () => {
    for (const argv of [[], ['node/worker-17'], ['apiserver'], ['pod/kcp/https:kcp-0:6443']]) {
      const text = await script(...argv);
      assert.ok(text.split('\n').length < 80);
      assert.ok(text.split('\n').every(line => line.length <= 120));
      assert.match(text, /^#!\/bin\/sh\n/);
      assert.match(text, /set -eu\numask 077/);
      const commands = text.replace(/^#.*$/gm, '');
      assert.doesNotMatch(commands, /cmdline|configz|secret|curl|\[\[|function |local |echo -/);
      if (skip === false) assert.equal(spawnSync('sh', ['-n'], { input: text }).status, 0, argv.join(' '));
    }
    assert.match(
      await script('pod/kcp/https:kcp-0:6443'),
      /base=\/api\/v1\/namespaces\/kcp\/pods\/https:kcp-0:6443\/proxy\n/,
    );
  });

  it('names the targets that have no script', async () => {
    for (const [target, message] of [
      ['http://localhost:6060', /name a node, a pod or apiserver/],
      ['pod/$(reboot)/x', /not a valid pod name/],
      ['worker-17', /did you mean node\/worker-17/],
    ] as const) {
      const io = memoryIo();
      assert.equal(await runOakum(['collect-script', target], io), 2);
      assert.match(io.err(), message);
    }
  });

  it('takes two sets that oakum analyze reads', { skip }, async () => {
    const bin = fakeKubectl('# TYPE go_goroutines gauge\ngo_goroutines 485\n');
    const { cwd, status, stdout, stderr } = run(await script(), bin, ['worker-17']);
    assert.equal(status, 0, stderr);
    const archive = stdout.trim();
    assert.match(archive, /^worker-17-\d+\.tar\.gz$/);
    const io = memoryIo({ cwd });
    assert.equal(await runOakum(['analyze', archive, '-o', 'json'], io), 0, io.err());
    const { inputs } = JSON.parse(io.out()) as Analysis;
    const kinds = inputs.map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, ['events', ...Array(6).fill('goroutine'), 'heap', 'heap', 'metrics', 'metrics']);
    assert.ok(inputs.every(({ target, error }) => target === 'worker-17' && error === null));
  });

  it('continues without what it cannot get, and writes that down', { skip }, async () => {
    const bin = fakeKubectl('# TYPE go_goroutines gauge\ngo_goroutines 250000\n');
    const apiserver = run(await script('apiserver'), bin);
    assert.equal(apiserver.status, 0, apiserver.stderr);
    assert.match(apiserver.stderr, /could not take metrics: Error from server \(NotFound\)/);
    const busy = run(await script('node/worker-17'), bin);
    assert.match(busy.stderr, /left out goroutine\?debug=2: 250000 goroutines/);
    assert.doesNotMatch(busy.stderr, /took .*goroutine-d2/);
    const wrong = run(await script(), bin, ['worker;reboot']);
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /is not a valid node name/);
  });
});
