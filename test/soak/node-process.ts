/** Processes of Node.js that a soak starts, and what they say. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Pinned to a core if one is given, the machine has several, and the system supports it. */
export function spawnNode(core: number | undefined, args: readonly string[]): ChildProcess {
  const node = [process.execPath, ...args];
  const isPinned =
    core !== undefined && process.platform === 'linux' && existsSync('/usr/bin/taskset') && cpus().length > 1;
  // Nothing else should run on the core that is measured.
  const first = process.getuid?.() === 0 ? ['nice', '-n', '-10'] : [];
  const command = isPinned ? ['taskset', '-c', String(core), ...first, ...node] : node;
  return spawn(command[0], command.slice(1), { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The first matching line of its output. */
export function firstLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    // Keep reading to the end, or later output would fill the pipe.
    child.stdout?.on('data', (chunk: Buffer) => {
      if (text.length < 100_000) text += String(chunk);
      const line = text.split('\n').find(one => pattern.test(one));
      if (line !== undefined) resolve(line);
    });
    child.once('exit', code => reject(new Error(`${child.spawnargs.slice(-4).join(' ')} ended with ${code}: ${text}`)));
  });
}

/** Those without labels, of an OpenMetrics page. */
export async function readMetrics(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values: Record<string, number> = {};
  for (const [, name, value] of text.matchAll(/^([a-z_0-9]+) (\S+)$/gm)) values[name] = Number(value);
  return values;
}
