/**
 * Which process of a group serves an address. `make run` starts a shell that starts `go run` that starts the program:
 * only the last one has the descriptors and threads to count.
 *
 *     /proc/net/tcp       sl local_address rem_address st ... inode      0100007F:17AC  0A (listens)  31337
 *     /proc/net/unix      Num RefCount Protocol Flags Type St Inode Path
 *     /proc/PID/fd/7      socket:[31337]
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { TargetRef } from '../../evidence/target.ts';

const LISTENS = '0A';

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
