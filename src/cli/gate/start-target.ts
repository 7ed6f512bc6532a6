/** Starts the program under test, keeps its last words, and ends it with everything it started. */
import { spawn } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcessTree } from '../../live/io/kube/process-tree.ts';
import type { SystemCounts } from '../../gate/take-round.ts';
import type { TargetRef } from '../../evidence/target.ts';
import { type CommandPlace, ended, OutputTail } from './run-command.ts';

/**
 * Which process of a group serves an address. `make run` starts a shell that starts `go run` that starts the program:
 * only the last one has the descriptors and threads to count.
 *
 *     /proc/net/tcp       sl local_address rem_address st ... inode      0100007F:17AC  0A (listens)  31337
 *     /proc/net/unix      Num RefCount Protocol Flags Type St Inode Path
 *     /proc/PID/fd/7      socket:[31337]
 */
const LISTENS = '0A';

export interface StartedTarget {
  /** How it ended, and what it said last; undefined while it runs. */
  readonly outputTail: () => string | undefined;
  /** Until it ends, if it is about to: a crash closes connections before the process is gone. */
  readonly mayEnd: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Counts in the process that serves the target; undefined where there is no /proc, or none that it started does. */
  readonly countInSystem: () => Promise<SystemCounts | undefined>;
}

const END_MS = 1500;

/** `line` is for a shell, as in a Makefile. */
export function startTarget(
  line: string,
  ref: TargetRef,
  place: CommandPlace,
  onOutput: (text: string) => void,
): StartedTarget {
  const child = spawn('sh', ['-c', line], {
    cwd: place.cwd,
    env: { ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const words = new OutputTail();
  let end: string | undefined;
  let serving: { readonly pid: number; readonly process: string } | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      onOutput(chunk.toString());
      words.add(chunk.toString());
    });
  }
  const over = ended(child, place.signal).then(how => (end = how ?? 'exited with 0'));
  return {
    outputTail: () => {
      const said = words.line();
      return end === undefined ? undefined : `${end}${said === '' ? '' : `: ${said}`}`;
    },
    mayEnd: async () => {
      const waiting = new AbortController();
      await Promise.race([over, delay(END_MS, undefined, { signal: waiting.signal }).catch(() => {})]);
      waiting.abort();
    },
    countInSystem: async () => {
      if (child.pid === undefined) return undefined;
      const known = serving === undefined ? undefined : await countInSystem(serving.pid);
      if (known !== undefined && known.process === serving?.process) return known;
      const pid = await listeningProcess(child.pid, ref);
      const counts = await countInSystem(pid);
      serving = pid === undefined || counts === undefined ? undefined : { pid, process: counts.process };
      return counts;
    },
    stop: async () => {
      if (end === undefined) endProcessTree(child);
      await over;
    },
  };
}

/** Undefined if there is no such process on this machine, or no /proc. */
export async function countInSystem(pid: number | undefined): Promise<SystemCounts | undefined> {
  if (pid === undefined) return undefined;
  try {
    const [files, tasks, status] = await Promise.all([
      readdir(`/proc/${pid}/fd`),
      readdir(`/proc/${pid}/task`),
      statusOf(pid),
    ]);
    if (status === undefined) return undefined;
    return { openFiles: files.length, threads: tasks.length, process: `${pid} ${status.startTicks}` };
  } catch {
    return undefined;
  }
}

/** Undefined if none of them does, or where there is no /proc. */
export async function listeningProcess(group: number, ref: TargetRef): Promise<number | undefined> {
  try {
    const sockets = new Set((await inodesOf(ref)).map(inode => `socket:[${inode}]`));
    if (sockets.size === 0) return undefined;
    for (const pid of await processesOf(group)) if (await hasOpen(pid, sockets)) return pid;
    return undefined;
  } catch {
    return undefined;
  }
}

async function inodesOf(ref: TargetRef): Promise<string[]> {
  if (ref.kind === 'unix') {
    const rows = await rowsOf('/proc/net/unix');
    return rows.filter(row => row[7] === ref.socketPath).flatMap(row => row[6] ?? []);
  }
  if (ref.kind !== 'url') return [];
  const { port, protocol } = new URL(ref.url);
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  const suffix = `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(rowsOf));
  return rows.flat().flatMap(row => (row[3] === LISTENS && row[1]?.endsWith(suffix) === true ? (row[9] ?? []) : []));
}

async function rowsOf(file: string): Promise<string[][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').map(line => line.trim().split(/\s+/));
}

async function processesOf(group: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  const groups = await Promise.all(pids.map(async pid => (await statusOf(pid))?.group));
  return pids.filter((_, i) => groups[i] === group);
}

interface ProcessStatus {
  readonly group: number;
  /** In ticks since the machine started: with the pid, this tells a process from every other. */
  readonly startTicks: string;
}

/** Undefined if it has ended. */
export async function statusOf(pid: number): Promise<ProcessStatus | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program is in parentheses and may contain anything.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, group, startTicks] = [fields?.[0], fields?.[2], fields?.[19]];
  // A zombie has ended; only its parent has not noticed.
  if (state === 'Z' || state === 'X') return undefined;
  return group === undefined || startTicks === undefined ? undefined : { group: Number(group), startTicks };
}

async function hasOpen(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(names.map(name => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.some(link => sockets.has(link));
}
