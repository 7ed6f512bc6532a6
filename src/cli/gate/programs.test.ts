import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { besideHeapBytes, type StartedTarget, startTarget, listeningProcess, statusOf } from './programs.ts';

const HAS_PROC = existsSync('/proc/self/stat');
const SERVE = `require('net').createServer().listen(Number(process.env.PORT), '127.0.0.1', () => console.log('serves', process.pid))`;

describe('a started program', { skip: HAS_PROC ? false : 'needs /proc' }, () => {
  it('is a line for a shell, and the process that serves the target is the one that is counted', async () => {
    const port = await freePort();
    const ref = { kind: 'url', url: `http://127.0.0.1:${port}` } as const;
    let said = '';
    let serving = (): void => {};
    const serves = new Promise<void>(resolve => (serving = resolve));
    const place = { cwd: '/', env: process.env, signal: new AbortController().signal };
    // A variable, a list and a child of a shell, as `make run` has.
    const line = `PORT=${port} sh -c '"${process.execPath}" -e "$0"; true' "${SERVE}"; true`;
    const started: StartedTarget = startTarget(line, ref, place, text => {
      said += text;
      if (said.includes('serves ')) serving();
    });
    await serves;
    const pid = Number(/serves (\d+)/.exec(said)?.[1]);
    const counts = await started.countInSystem();
    assert.equal(counts?.process, `${pid} ${(await statusOf(pid))?.startTicks}`);
    assert.ok(counts.threads > 1 && counts.openFiles > 3, JSON.stringify(counts));
    await started.stop();
    assert.match(started.outputTail() ?? '', /^was ended by SIGTERM/);
    assert.equal(await started.countInSystem(), undefined);
  });

  it('is not counted if something else serves the target', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const child = spawn('sleep', ['60'], { detached: true });
    const url = `http://127.0.0.1:${port}`;
    assert.equal(await listeningProcess(child.pid ?? 0, { kind: 'url', url }), undefined);
    assert.equal(await listeningProcess(child.pid ?? 0, { kind: 'node', name: 'worker' }), undefined);
    const { group = 0 } = (await statusOf(process.pid)) ?? {};
    assert.equal(await listeningProcess(group, { kind: 'url', url }), process.pid);
    child.kill('SIGKILL');
    await new Promise(resolve => server.close(resolve));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

describe('memory beside the heap of Go', () => {
  const mapping = (range: string, name: string, kilobytes: number): string =>
    `${range} rw-p 00000000 00:00 0    ${name}\nRss:      9999 kB\nAnonymous:   ${kilobytes} kB\n`;
  const C = mapping('09f61000-09f82000', '[heap]', 8) + mapping('7f6430000000-7f6430021000', '', 4);

  it('is what is anonymous outside the area of the heap, before and since Go 1.26', () => {
    for (const heap of ['c000000000-c000400000', '381a50800000-381a51000000'])
      assert.equal(
        besideHeapBytes(C + mapping(heap, '', 752) + mapping('7f7000000000-7f7000400000', '/app', 0)),
        12 * 1024,
      );
  });

  it('is unknown where there is no such area', () => {
    assert.equal(besideHeapBytes(C), undefined);
    assert.equal(besideHeapBytes(''), undefined);
  });
});
