/** `--live-from`: the tenants that exist, from a file, stdin or a shell command. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { gatherBounded } from '../../evidence/io/read-profile.ts';
import { liveTenants } from '../../profile/families/live-tenants.ts';
import { Failure, isSystemError, systemReason } from '../../base/failure.ts';
import { decodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import type { Io } from '../terminal/io.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';

const COMMAND_TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Throws if there are none. */
export async function readLiveTenants(from: string, io: Io): Promise<ReadonlySet<string>> {
  const names = liveTenants(await readNames(from, io));
  // With no live tenants, everything would be an orphan; a wrong context is far more likely.
  if (names.size === 0) throw new Failure('no-evidence', `--live-from ${from}: names no tenant`);
  return names;
}

async function readNames(from: string, io: Io): Promise<string> {
  if (from === '-') return decodeText(await gatherBounded(io.stdin, { maxBytes: MAX_BYTES }));
  try {
    return decodeText(await readBoundedFile(resolve(io.cwd, from), MAX_BYTES, `--live-from ${from}`));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (!/\s/.test(from)) throw new Failure('not-found', `--live-from ${from}: ${systemReason(error)}`);
  }
  io.stderr.write(`oakum: running ${from}\n`);
  return runShell(from, io);
}

function runShell(command: string, io: Io): Promise<string> {
  const options = { cwd: io.cwd, env: { ...io.env }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_BYTES };
  return new Promise((done, fail) => {
    execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      const last = stderr.trim().split('\n').at(-1) || error.message;
      fail(new Failure('no-answer', `--live-from: ${command}: ${visible(last)}`));
    });
  });
}
