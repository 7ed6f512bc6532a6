/** Turns an error thrown by a command into one line on stderr and an exit code. */
import { EXIT } from '../../base/exit-codes.ts';
import { expectedFailure } from '../../base/failure.ts';
import { oneLine } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { Io } from './io.ts';

/** Writes one line to stderr, with control characters escaped; returns the exit code. */
export function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`oakum: ${visible(oneLine(message))}\n`);
  return code;
}

/** `path` names the input if the error does not. */
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
