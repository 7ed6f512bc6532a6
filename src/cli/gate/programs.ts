/** The programs of a gate: the target that it starts, and the command with the operations. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcessTree, endWithThisProcess } from '../../live/io/kube/process-tree.ts';
import type { SystemCounts } from '../../gate/take-round.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { OperationsRun } from '../../gate/run-gate.ts';

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
    const [files, tasks, status, memory] = await Promise.all([
      readdir(`/proc/${pid}/fd`),
      readdir(`/proc/${pid}/task`),
      statusOf(pid),
      process.arch === 'x64' ? readFile(`/proc/${pid}/smaps`, 'utf8').catch(() => '') : '',
    ]);
    if (status === undefined) return undefined;
    return {
      openFiles: files.length,
      threads: tasks.length,
      besideHeapBytes: besideHeapBytes(memory),
      process: `${pid} ${status.startTicks}`,
    };
  } catch {
    return undefined;
  }
}

/**
 * Where Go on amd64 asks for its heap: low in the address space, where Linux puts nothing by itself. C code and mmap
 * are above it, programs below or above.
 *
 *     00400000-00402000 r-xp ... /usr/bin/app        the program
 *     09f61000-09f82000 rw-p ... [heap]              malloc of C
 *     381a50800000-381a51000000 rw-p                 the heap of Go; 0xc000000000 before Go 1.26
 *     7f6430000000-7f6430021000 rw-p                 malloc of C, mmap, records of the runtime
 */
const GO_HEAP_FROM = 2 ** 32;
const GO_HEAP_TO = 2 ** 46;

/** Anonymous memory that is resident outside the heap of Go, by /proc/PID/smaps; undefined on other machines. */
export function besideHeapBytes(smaps: string): number | undefined {
  let bytes = 0;
  let isCounted = false;
  let hasHeap = false;
  for (const line of smaps.split('\n')) {
    const [, from] = /^([0-9a-f]+)-[0-9a-f]+ /.exec(line) ?? [];
    if (from !== undefined) {
      const at = parseInt(from, 16);
      const isOfGo = at >= GO_HEAP_FROM && at < GO_HEAP_TO;
      hasHeap ||= isOfGo;
      isCounted = !isOfGo;
    } else if (isCounted && line.startsWith('Anonymous:')) {
      bytes += Number(/\d+/.exec(line)?.[0] ?? 0) * 1024;
    }
  }
  return hasHeap ? bytes : undefined;
}

const LISTENS = '0A';

/**
 * Which process of a group serves an address. `make run` starts a shell that starts `go run` that starts the program:
 * only the last one has the descriptors and threads to count.
 *
 *     /proc/net/tcp       sl local_address rem_address st ... inode      0100007F:17AC  0A (listens)  31337
 *     /proc/net/unix      Num RefCount Protocol Flags Type St Inode Path
 *     /proc/PID/fd/7      socket:[31337]
 *
 * Undefined if none of them does, or where there is no /proc.
 */
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

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const LINE_CHARS = 2000;
const OPERATIONS = /^OAKUM_OPERATIONS=(\d{1,9})\s*$/;

/** Runs a command without a shell, and ends it with everything it started. */
export async function runOperations(
  argv: readonly string[],
  place: CommandPlace,
  onOutput: (text: string) => void,
): Promise<OperationsRun> {
  const [name = '', ...args] = argv;
  const child = spawn(name, args, {
    cwd: place.cwd,
    env: { ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let operations: number | undefined;
  const words = new OutputTail();
  let line = '';
  const read = (chunk: Buffer): void => {
    const text = chunk.toString();
    onOutput(text);
    words.add(text);
    const lines = `${line}${text}`.split('\n');
    line = (lines.pop() ?? '').slice(-LINE_CHARS);
    lines.forEach(count);
  };
  const count = (whole: string): void => {
    const [, found] = OPERATIONS.exec(whole) ?? [];
    if (found !== undefined) operations = (operations ?? 0) + Number(found);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const end = await ended(child, place.signal);
  count(line);
  if (end === undefined) return { kind: 'done', operations };
  const said = words.line();
  return { kind: 'failed', message: `${name} ${end}${said === '' ? '' : `: ${said}`}` };
}

/** Undefined if it ended well; else how it ended. */
function ended(child: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
  const forget = endWithThisProcess(child);
  const stop = (): void => endProcessTree(child);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return new Promise<string | undefined>(resolve => {
    child.on('error', error => resolve(`cannot be run: ${error.message}`));
    child.on('close', (code, name) => {
      if (code === 0) resolve(undefined);
      else resolve(name === null ? `exited with ${code}` : `was ended by ${name}`);
    });
  }).finally(() => {
    forget();
    signal.removeEventListener('abort', stop);
  });
}

/** The end of what a process printed, and the line of it that says why it ended. */
const TAIL_CHARS = 64 * 1024;
const CRASH = /^(?:panic|fatal error|runtime|signal|SIG[A-Z]+): ?.*$/m;
/** What Node.js prints last when it dies of an exception, below the error and its stack. */
const NODE_ERROR = /^(?:Uncaught )?(?:\w*Error|AssertionError)\b.*$/m;
const NODE_END = /^Node\.js v\d/;

class OutputTail {
  #tail = '';

  add(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL_CHARS);
  }

  /** The line of a Go crash or of an exception of Node.js, else the last line; '' if nothing was printed. */
  line(): string {
    const tail = this.#tail.trim();
    const last = tail.split('\n').at(-1)?.trim() ?? '';
    const why = CRASH.exec(tail) ?? (NODE_END.test(last) ? NODE_ERROR.exec(tail) : null);
    return why?.[0].trim() ?? last;
  }
}
