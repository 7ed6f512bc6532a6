/**
 * A separate installation of oakum, so that a concurrent build cannot disturb it, and a way to run it.
 *
 *     const run = await installation.oakum(['triage', 'node/leak-a'], { kubeconfig });
 *     run.code; run.out; run.err
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Run {
  /** The command as a user would type it. */
  readonly command: string;
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Until the first byte on stdout; the whole time if there was none. */
  readonly firstSeconds: number;
  readonly seconds: number;
}

export interface RunOptions {
  readonly kubeconfig?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with everything on stderr so far. */
  readonly onProgress?: (err: string, child: ChildProcess) => void;
}

export interface Installation {
  /** Where commands run and leave their files. */
  readonly folder: string;
  oakum(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Any program, with oakum and its kubectl plugin on the PATH. */
  run(program: string, args: readonly string[], options?: RunOptions): Promise<Run>;
}

export function install(root: string, folder: string, kubectl: string): Installation {
  const home = join(folder, 'installation');
  const bin = join(folder, 'bin');
  const work = join(folder, 'work');
  for (const path of [home, bin, work]) mkdirSync(path, { recursive: true });
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(home, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  for (const name of ['oakum', 'kubectl-oakum']) symlinkSync(join(home, 'bin', 'oakum.js'), join(bin, name));
  symlinkSync(kubectl, join(bin, 'kubectl'));
  const run: Installation['run'] = (program, args, options = {}) => runProgram(program, args, work, bin, options);
  return { folder: work, run, oakum: (args, options) => run('oakum', args, options) };
}

function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  bin: string,
  { kubeconfig, env, onProgress }: RunOptions,
): Promise<Run> {
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1000;
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
      NO_COLOR: '1',
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
      ...env,
    },
  });
  let [out, err] = ['', ''];
  let firstSeconds: number | undefined;
  child.stdout.on('data', chunk => {
    firstSeconds ??= elapsed();
    out += String(chunk);
  });
  child.stderr.on('data', chunk => {
    err += String(chunk);
    onProgress?.(err, child);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      const seconds = elapsed();
      const command = [program, ...args].join(' ');
      resolve({ command, code: code ?? -1, out, err, firstSeconds: firstSeconds ?? seconds, seconds });
    });
  });
}
