/** Turns what a command threw into one line on stderr and an exit code. */
import { FormatError } from '../../base/errors.ts';
import { oneLine } from '../../base/text-layout.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

/** The output could not be written. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite';
}

/** One line on stderr; gives the exit code back. */
export function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`oakum: ${message}\n`);
  return code;
}

/** `path` names the input where the error does not. */
export function reportFailure(error: unknown, io: Io, path?: string): number {
  if (isDebug(io) && error instanceof Error) io.stderr.write(`${error.stack ?? error.message}\n`);
  if (error instanceof FormatError) {
    const where = path === undefined ? '' : `${path}: `;
    return fail(io, EXIT.couldNotObserve, where + oneLine(error.describe()));
  }
  if (error instanceof CannotWrite) return fail(io, EXIT.actionFailed, oneLine(error.message));
  if (isSystemError(error)) return fail(io, EXIT.couldNotObserve, systemMessage(error, path));
  const message = error instanceof Error ? error.message : String(error);
  const hint = isDebug(io) ? '' : ' (set OAKUM_DEBUG=1 to see where)';
  return fail(io, EXIT.internalError, `internal error: ${oneLine(message)}${hint}`);
}

function isDebug(io: Io): boolean {
  const value = io.env['OAKUM_DEBUG'];
  return value !== undefined && value !== '' && value !== '0';
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EMFILE: 'too many open files',
  ENOSPC: 'no space left on device',
};

/** Why the system refused, without Node's code, call and path. */
export function systemReason({ code = '', message }: NodeJS.ErrnoException): string {
  return REASONS[code] ?? oneLine(message).replace(/^E[A-Z0-9]+: |, [a-z]+(?: '.*)?$/g, '');
}

function systemMessage(error: NodeJS.ErrnoException, given: string | undefined): string {
  const reason = REASONS[error.code ?? ''];
  if (reason === undefined) return oneLine(error.message);
  return `${oneLine(error.path ?? given ?? error.syscall ?? '')}: ${reason}`;
}
