/** Starts the program under test, keeps its last words, and ends it with everything it started. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { endProcessTree } from '../../live/io/kube/process-tree.ts';
import type { SystemCounts } from '../../gate/take-round.ts';
import type { TargetRef } from '../../evidence/target.ts';
import { LastWords } from './last-words.ts';
import { listeningProcess, statusOf } from './listening-process.ts';
import { type CommandPlace, ended } from './run-command.ts';

export interface StartedTarget {
  /** How it ended, and what it said last; undefined while it runs. */
  readonly lastWords: () => string | undefined;
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
  const words = new LastWords();
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
    lastWords: () => {
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
