/** Runs the command of a restart without a shell, and ends it with everything it started. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { endProcessTree, endWithThisProcess } from '../../live/io/kube/process-tree.ts';
import type { CommandEnd, CommandRunner, StartedCommand } from '../../act/command-runner.ts';

const TAIL_CHARS = 4000;
/** After a kill, or when a child of the command keeps its pipes open. */
const CLOSE_MS = 2000;

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function commandRunner({ cwd, env }: CommandPlace): CommandRunner {
  return {
    run: async (argv, { deadlineSeconds, signal, onStarted }) => {
      const [name = '', ...args] = argv;
      if (signal.aborted) return { how: 'stopped', exitCode: null, output: '' };
      const child = spawn(name, args, {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        windowsHide: true,
      });
      let output = '';
      const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-TAIL_CHARS));
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      const release = endWithThisProcess(child);
      const { pid } = child;
      const noted = pid === undefined ? undefined : onStarted?.({ pid, startTicks: startTicksOf(pid) });
      const end = await new Promise<Omit<CommandEnd, 'output'>>(resolve => {
        let ending: CommandEnd['how'] | undefined;
        const finish = (how: CommandEnd['how'], exitCode: number | null): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onStop);
          resolve({ how: ending ?? how, exitCode });
        };
        const kill = (how: CommandEnd['how']): void => {
          ending ??= how;
          endProcessTree(child);
          setTimeout(() => finish(how, null), CLOSE_MS).unref();
        };
        const onStop = (): void => kill('stopped');
        const timer = setTimeout(() => kill('deadline'), deadlineSeconds * 1000);
        signal.addEventListener('abort', onStop, { once: true });
        child.on('error', error => {
          keep(Buffer.from(error.message));
          finish('not-started', null);
        });
        child.on('exit', (code, by) => {
          const done = (): void => finish(by === null ? 'exited' : 'killed', code);
          child.on('close', done);
          setTimeout(done, CLOSE_MS).unref();
        });
      });
      release();
      child.stdout.destroy();
      child.stderr.destroy();
      await noted;
      return { ...end, output };
    },
    endOrphan: orphan => Promise.resolve(endOrphan(orphan)),
  };
}

/** Its group: with what it started. */
function endOrphan({ pid, startTicks }: StartedCommand): boolean {
  // Without a start time, another process may have the pid by now.
  if (startTicks === null || startTicksOf(pid) !== startTicks) return false;
  try {
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Null where there is no /proc, or no such process. */
export function startTicksOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}
