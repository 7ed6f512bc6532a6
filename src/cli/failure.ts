/** Turns what a command threw into one line on stderr and an exit code. */
import { FormatError } from '../base/errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

export function reportFailure(error: unknown, io: Io): number {
  if (isDebug(io) && error instanceof Error) io.stderr.write(`${error.stack ?? error.message}\n`);
  if (error instanceof FormatError) {
    io.stderr.write(`oakum: ${oneLine(error.describe())}\n`);
    return EXIT.couldNotObserve;
  }
  if (isSystemError(error)) {
    io.stderr.write(`oakum: ${systemMessage(error)}\n`);
    return EXIT.couldNotObserve;
  }
  const message = error instanceof Error ? error.message : String(error);
  const hint = isDebug(io) ? '' : ' (set OAKUM_DEBUG=1 to see where)';
  io.stderr.write(`oakum: internal error: ${oneLine(message)}${hint}\n`);
  return EXIT.internalError;
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

function systemMessage(error: NodeJS.ErrnoException): string {
  const reason = REASONS[error.code ?? ''];
  if (reason === undefined) return oneLine(error.message);
  return error.path === undefined ? `${error.syscall}: ${reason}` : `${oneLine(error.path)}: ${reason}`;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}
