import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import type { CommandEnd, StartedCommand } from '../../act/ports.ts';
import { until } from '../../../test/until.ts';
import { commandRunner, startTicksOf } from './act-ports.ts';

const runner = commandRunner({ cwd: process.cwd(), env: process.env });
const node = (script: string): string[] => [process.execPath, '-e', script];
const run = (
  argv: readonly string[],
  deadlineSeconds = 60,
  signal = new AbortController().signal,
): Promise<CommandEnd> => runner.run(argv, { deadlineSeconds, signal });

describe('a command', () => {
  it('is run without a shell, and its end and last words are known', async () => {
    const ended = await run(node('console.log(process.argv[1]); process.exitCode = 3').concat('$(id); ok'));
    assert.deepEqual(ended, { how: 'exited', exitCode: 3, output: '$(id); ok\n' });
    const absent = await run(['/does/not/exist']);
    assert.equal(absent.how, 'not-started');
    assert.match(absent.output, /ENOENT/);
  });

  it(
    'is killed with its children at the deadline, and when it is told to stop',
    { skip: process.platform !== 'linux' && 'needs /proc' },
    async () => {
      const child = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })`;
      const script = `const c = ${child}; console.log(c.pid); setInterval(() => {}, 1000)`;
      const ended = await run(node(script), 1);
      assert.equal(ended.how, 'deadline');
      const grandchild = Number(ended.output.trim());
      await until(() => startTicksOf(grandchild) === null);
      const stop = new AbortController();
      const stopping = run(node(script), 60, stop.signal);
      stop.abort();
      assert.equal((await stopping).how, 'stopped');
    },
  );

  it(
    'of a run that was killed is ended, but no other process with its pid',
    { skip: process.platform !== 'linux' && 'needs /proc' },
    async () => {
      const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        detached: true,
        stdio: 'ignore',
      });
      const pid = orphan.pid!;
      const started: StartedCommand = { pid, startTicks: startTicksOf(pid) };
      assert.equal(await runner.endOrphan({ pid, startTicks: (started.startTicks ?? 0) + 1 }), false);
      assert.equal(await runner.endOrphan({ pid, startTicks: null }), false);
      assert.equal(await runner.endOrphan(started), true);
      await until(() => startTicksOf(pid) === null);
      assert.equal(await runner.endOrphan(started), false);
    },
  );
});
