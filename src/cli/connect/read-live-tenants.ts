/** `--live-from`: the tenants that exist, from a file, stdin or a command. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { gatherBounded } from '../../adapters/files/read-profile.ts';
import { liveTenants } from '../../analysis/families/live-tenants.ts';
import { decodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import type { Io } from '../terminal/io.ts';
import { readLimits } from './read-source.ts';

const COMMAND_TIMEOUT_MS = 60_000;

/** Their names, or why they could not be read. */
export async function readLiveTenants(from: string, io: Io): Promise<ReadonlySet<string> | string> {
  let text: string;
  try {
    const stdin = from === '-' ? await gatherBounded(io.stdin, readLimits(io)) : undefined;
    text = decodeText(stdin ?? (await readFile(resolve(io.cwd, from))));
  } catch (error) {
    if (!/\s/.test(from)) return `--live-from ${from}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`;
    io.stderr.write(`oakum: running ${from}\n`);
    const ran = await runShell(from, io);
    if (ran.error !== undefined) return `--live-from: ${ran.error}`;
    text = ran.output;
  }
  const names = liveTenants(text);
  // Nothing alive makes everything an orphan: far more likely a wrong context than the truth.
  return names.size === 0 ? `--live-from ${from}: names no tenant` : names;
}

function runShell(command: string, io: Io): Promise<{ output: string; error?: string }> {
  const options = { cwd: io.cwd, env: { ...io.env }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 64 * 2 ** 20 };
  return new Promise(done => {
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      if (error === null) return done({ output: stdout });
      const [last] = stderr.trim().split('\n').slice(-1);
      done({ output: '', error: `${command}: ${visible(last !== '' ? last : error.message)}` });
    });
  });
}
