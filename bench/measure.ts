/**
 * Runs a command and measures its cost.
 *
 *     bench -> bash -> the command           stdout and stderr to files
 *
 * CPU and wall time come from bash's `time`, which reads the kernel's accounting of the finished child, exact to the
 * millisecond. Peak memory is VmHWM, the kernel's own high-water mark, read every 2 ms while the command runs: it
 * misses only memory first touched in the last 2 ms.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { temporaryFolder } from './temporary.ts';

export interface Command {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The file with its result, if it does not go to stdout; gunzipped before it is compared. */
  readonly outputFile?: string;
}

export interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Undefined if the system does not report it. */
  readonly peakBytes: number | undefined;
}

export interface Run extends Cost {
  /** A hash of what it printed. */
  readonly output: string;
}

export class CommandFailed extends Error {
  /** What it printed to stderr, shortened. */
  readonly reason: string;

  constructor(argv: readonly string[], status: number, reason: string) {
    super(`${argv.join(' ')} ended with ${status}: ${reason}`);
    this.reason = reason;
  }
}

export const canMeasureMemory: boolean = process.platform === 'linux';

const POLL_MS = 2;
// The command runs in the background only to learn its process id; `time` still covers it.
const TIMED = `
TIMEFORMAT='%3R %3U %3S'
exec 5>&2
{ time { "$@" 2>&5 3>&- 4>&- 5>&- & echo $! >&3; exec 3>&-; wait $!; } ; } 2>&4
`;

export async function measure(command: Command): Promise<Run> {
  const folder = temporaryFolder('output');
  const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
  const cost = await timed(command, stdout, stderr);
  return { ...cost, output: await hashOf(stdout, command.outputFile) };
}

async function timed(command: Command, stdout: string, stderr: string): Promise<Cost> {
  const [outFd, errFd] = [openSync(stdout, 'w'), openSync(stderr, 'w')];
  const child = spawn('bash', ['-c', TIMED, 'bench', ...command.argv], {
    stdio: ['ignore', outFd, errFd, 'pipe', 'pipe'],
    env: { ...process.env, ...command.env },
  });
  closeSync(outFd);
  closeSync(errFd);
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve(code ?? 1));
  });
  const times = text(child.stdio[4] as Readable);
  const pid = Number(await text(child.stdio[3] as Readable));
  const [peakBytes, status] = await Promise.all([watchPeak(pid, ended), ended]);
  if (status !== 0) {
    throw new CommandFailed(command.argv, status, readFileSync(stderr, 'utf8').trim().slice(0, 300));
  }
  const [wallSeconds, user, system] = (await times).trim().split(' ').map(Number);
  return { wallSeconds, cpuSeconds: user + system, peakBytes };
}

async function watchPeak(pid: number, ended: Promise<unknown>): Promise<number | undefined> {
  if (!canMeasureMemory) return undefined;
  let running = true;
  void ended.finally(() => (running = false)).catch(() => {});
  let peak = 0;
  while (running) {
    peak = Math.max(peak, highWaterMark(pid));
    await sleep(POLL_MS);
  }
  return peak;
}

function highWaterMark(pid: number): number {
  try {
    const match = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return match === null ? 0 : Number(match[1]) * 1024;
  } catch {
    return 0; // It has ended.
  }
}

async function hashOf(stdout: string, outputFile: string | undefined): Promise<string> {
  const hash = createHash('sha256');
  if (outputFile === undefined) await pipeline(createReadStream(stdout), hash);
  else await pipeline(createReadStream(outputFile), createGunzip(), hash);
  return hash.digest('hex');
}

/** Runs commands in turn, A B A B ..., so that other load on the machine affects all alike. */
export async function interleave(commands: readonly Command[], runs: number): Promise<Run[][]> {
  const results: Run[][] = commands.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [i, command] of commands.entries()) results[i].push(await measure(command));
  }
  return results;
}
