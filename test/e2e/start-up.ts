/** What a form of Oakum costs to start. CPU time does not depend on what else runs; wall time does, so the load is told. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';

export interface Form {
  readonly name: string;
  /** Program and first arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** 9 if not given. */
  readonly runs?: number;
}

const RUNS = 9;
// `times` ends with the user and system time of the children of the shell.
const SHELL = '"$@" >/dev/null || exit; times';

/** One line for each command: the medians of some runs. */
export function printStartUp(forms: readonly Form[], commands: readonly (readonly string[])[]): void {
  for (const args of commands)
    for (const form of forms) {
      const { cpuMs, wallMs } = startUpOf(form, args);
      console.log(
        `${form.name.padEnd(18)} oakum ${args.join(' ').padEnd(24)} ${cpuMs.toFixed(0).padStart(4)} ms of CPU, ` +
          `${wallMs.toFixed(0).padStart(5)} ms at load ${loadavg()[0]?.toFixed(1)}`,
      );
    }
}

function startUpOf(
  { command, cwd, env, runs: count = RUNS }: Form,
  args: readonly string[],
): { cpuMs: number; wallMs: number } {
  const runs = Array.from({ length: count }, () => {
    const startedAt = performance.now();
    const child = spawnSync('sh', ['-c', SHELL, 'sh', ...command, ...args], {
      cwd,
      encoding: 'utf8',
      env: env ?? process.env,
    });
    const wallMs = performance.now() - startedAt;
    assert.equal(child.status, 0, `${command.join(' ')} ${args.join(' ')}: ${child.stderr}`);
    const [, user = '', system = ''] = /\n(\S+) (\S+)\s*$/.exec(child.stdout) ?? [];
    return { cpuMs: millisecondsOf(user) + millisecondsOf(system), wallMs };
  });
  return { cpuMs: median(runs.map(run => run.cpuMs)), wallMs: median(runs.map(run => run.wallMs)) };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

function millisecondsOf(text: string): number {
  const [, minutes = '0', seconds = '0'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}
