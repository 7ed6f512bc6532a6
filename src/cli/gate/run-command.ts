/** Runs the operations of a gate: a command without a shell, ended with everything it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { endProcessTree, endWithThisProcess } from '../../live/io/kube/process-tree.ts';
import type { OperationsRun } from '../../gate/run-gate.ts';

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const LINE_CHARS = 2000;
const OPERATIONS = /^OAKUM_OPERATIONS=(\d{1,9})\s*$/;

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
export function ended(child: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
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

export class OutputTail {
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
