import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { until, withEnoughTime } from '../../../../test/until.ts';
import { type ExecPlugin, runExecPlugin } from './exec-plugin.ts';
import { RequestError } from '../../ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-plugin-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let scripts = 0;
function plugin(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const command = join(folder, `plugin-${scripts++}.sh`);
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { command, args: [], env: { PATH: process.env['PATH'] }, installHint: '', mustAsk: false, ...more };
}

const never = (): AbortSignal => new AbortController().signal;
const credential = (status: object): string => `echo '${JSON.stringify({ kind: 'ExecCredential', status })}'`;

async function problemOf(started: Promise<unknown>): Promise<string> {
  const error: unknown = await started.then(
    () => assert.fail('it gave credentials'),
    reason => reason,
  );
  assert.ok(error instanceof RequestError);
  assert.equal(error.kind, 'credentials');
  return error.message;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie is dead; whoever inherited it has not noticed.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a credential plugin', { skip: process.platform === 'win32' && 'it runs shell scripts' }, () => {
  it('gives a token or a certificate, and says when they expire', async () => {
    const expirationTimestamp = '2026-01-02T03:04:05Z';
    const [token, certificate] = await Promise.all([
      runExecPlugin(plugin(credential({ token: 't', expirationTimestamp })), never()),
      runExecPlugin(plugin(credential({ clientCertificateData: 'c', clientKeyData: 'k' })), never()),
    ]);
    assert.deepEqual(token, { token: 't', certificate: '', key: '', expiresAtMs: Date.parse(expirationTimestamp) });
    assert.deepEqual(certificate, { token: '', certificate: 'c', key: 'k', expiresAtMs: undefined });
  });

  it('that hangs is ended with its children, and named with what it said', async () => {
    const pids = join(folder, 'pids');
    const hanging = plugin(`echo "open https://login.example" >&2; sleep 1000 & echo $! $$ > ${pids}; sleep 1000`);
    await withEnoughTime(async factor => {
      rmSync(pids, { force: true });
      const stop = new AbortController();
      const problem = problemOf(runExecPlugin(hanging, stop.signal));
      await until(() => existsSync(pids) && readFileSync(pids, 'utf8').endsWith('\n'));
      await new Promise(resolve => setTimeout(resolve, 10 * factor));
      stop.abort();
      assert.match(
        await problem,
        /^the credential plugin plugin-\d+\.sh gave no credentials within [\d.]+ s and was ended; it last said: open https/,
      );
    });
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    assert.equal(started.length, 2);
    await until(() => !started.some(isAlive));
  });

  it('that ignores SIGTERM is killed', async () => {
    const pid = join(folder, 'pid');
    const stop = new AbortController();
    const problem = problemOf(
      runExecPlugin(plugin(`trap '' TERM; echo $$ > ${pid}; while :; do sleep 1; done`), stop.signal),
    );
    await until(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'));
    stop.abort();
    assert.match(await problem, /it may wait for a login/);
    await until(() => !isAlive(Number(readFileSync(pid, 'utf8'))));
  });

  it('that prompts gets the end of the input, and no terminal', async () => {
    const asks = 'printf "Password: " >&2; read answer || exit 3; exit 0';
    assert.match(await problemOf(runExecPlugin(plugin(asks), never())), /failed \(exit code 3\): Password:$/);
    const terminal = '(: < /dev/tty) 2> /dev/null && exit 0; echo no terminal >&2; exit 4';
    assert.match(await problemOf(runExecPlugin(plugin(terminal), never())), /failed \(exit code 4\): no terminal$/);
    const must = await problemOf(runExecPlugin(plugin('exit 0', { mustAsk: true }), never()));
    assert.match(must, /must ask on a terminal/);
  });

  it('that fails is named with its last line', async () => {
    const fails = 'echo first >&2; echo "Unable to locate credentials" >&2; exit 255';
    assert.match(await problemOf(runExecPlugin(plugin(fails), never())), /failed \(exit code 255\): Unable to locate/);
    assert.match(await problemOf(runExecPlugin(plugin('kill -9 $$'), never())), /failed \(killed by SIGKILL\)$/);
  });

  it('that is missing comes with the hint of the kubeconfig', async () => {
    const absent = { command: join(folder, 'absent'), installHint: 'get it from https://example.com' };
    assert.equal(
      await problemOf(runExecPlugin(plugin('', absent), never())),
      'the credential plugin absent cannot be started: there is no such command; get it from https://example.com',
    );
    const notExecutable = join(folder, 'text');
    writeFileSync(notExecutable, 'x', { mode: 0o600 });
    const problem = await problemOf(runExecPlugin(plugin('', { command: notExecutable }), never()));
    assert.match(problem, /cannot be started: it is not executable$/);
  });

  it('that prints something else is told so', async () => {
    const problem = (script: string): Promise<string> => problemOf(runExecPlugin(plugin(script), never()));
    assert.match(
      await problem('echo hello; echo "log in first" >&2'),
      /printed no ExecCredential; it said: log in first$/,
    );
    assert.match(await problem(credential({})), /without a token or a certificate/);
    assert.match(await problem(credential({ token: 'a b' })), /a token that is none$/);
    assert.match(await problem('cat /dev/zero'), /printed more than 1048576 bytes$/);
  });

  it('may leave a helper running that keeps its output open', async () => {
    const { token } = await runExecPlugin(plugin(`${credential({ token: 't' })}; sleep 3 &`), never());
    assert.equal(token, 't');
  });

  it('is not started for somebody who has given up', async () => {
    assert.match(
      await problemOf(runExecPlugin(plugin(credential({ token: 't' })), AbortSignal.abort())),
      /no credentials/,
    );
  });
});
