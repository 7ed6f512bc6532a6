import type { Terminal } from './full-screen.ts';
import { oneLine } from '../base/text-layout.ts';
import { visible } from '../base/visible-text.ts';
import { EXIT, expectedFailure } from '../base/errors.ts';
import { ANSI, PLAIN, type Style } from '../report/layout.ts';

/** The parts of its process that a command uses. Tests pass `memoryIo()`; adapters read the files. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether something is piped in: `pbpaste | oakum`. */
  readonly isPiped?: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  /** Undefined if stdin or stdout is not a terminal. */
  readonly terminal?: Terminal | undefined;
}

export interface Output {
  /** Accepts everything at once and never fails; text may hold the escaped bytes of `base/text.ts`. */
  write(chunk: string | Uint8Array): void;
  readonly isTTY?: boolean;
  /** Width of the terminal, if it is one. */
  readonly columns?: number;
}

/** Writes one line to stderr, with control characters escaped; returns the exit code. */
export function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`oakum: ${visible(oneLine(message))}\n`);
  return code;
}

/** Turns an error into one line on stderr and an exit code. `path` names the input if the error does not. */
export function reportFailure(error: unknown, io: Io, path?: string): number {
  const debug = isDebug(io);
  if (debug && error instanceof Error) io.stderr.write(`${error.stack ?? error.message}\n`);
  const failure = expectedFailure(error, path);
  if (failure !== undefined) {
    const hint = failure.hint === '' ? '' : `; ${failure.hint}`;
    return fail(io, failure.exitCode, `${failure.sentence}${hint}`);
  }
  const message = error instanceof Error ? error.message : String(error);
  return fail(io, EXIT.internalError, `internal error: ${message}${debug ? '' : ' (set OAKUM_DEBUG=1 to see where)'}`);
}

export function isDebug({ env }: Pick<Io, 'env'>): boolean {
  const value = env['OAKUM_DEBUG'];
  return value !== undefined && value !== '' && value !== '0';
}

/** Whether to colour: --color, then NO_COLOR and FORCE_COLOR, then whether stdout is a terminal. */
export function styleFor(choice: string, io: Io): Style {
  if (choice === 'always') return ANSI;
  if (choice === 'never') return PLAIN;
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = io.env;
  if (no !== undefined && no !== '') return PLAIN;
  if (force !== undefined && force !== '' && force !== '0') return ANSI;
  return io.stdout.isTTY === true && term !== 'dumb' ? ANSI : PLAIN;
}

/** Whether the locale is UTF-8. Without a locale it is POSIX, which is ASCII only. */
export function isUtf8(env: Io['env']): boolean {
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}

/** Ctrl-C, SIGTERM and SIGHUP as an AbortSignal, so that work ends cleanly; a second signal kills the process. */
export interface StopSignal {
  readonly signal: AbortSignal;
  /** Stops the work for another reason. */
  readonly stop: () => void;
  /** Restores the default: the next signal kills the process. */
  readonly release: () => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const release = (): void => {
    for (const name of SIGNALS) process.off(name, stop);
  };
  function stop(): void {
    release();
    controller.abort();
  }
  for (const name of SIGNALS) process.on(name, stop);
  return { signal: controller.signal, stop, release };
}
