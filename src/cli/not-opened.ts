import type { NotOpened } from '../adapters/http/open-target.ts';
import { oneLine } from '../base/text-layout.ts';
import { explain } from '../engine/doctor/explain.ts';
import { EXIT } from './exit-codes.ts';
import { fail } from './failure.ts';
import type { Io } from './io.ts';

/** One line for a target to which no way was found; gives the exit code back. */
export function notOpened({ path, reply, address }: NotOpened, target: string, io: Io): number {
  const why = explain(reply, { target, via: 'api-server', address, path });
  return fail(
    io,
    EXIT.couldNotObserve,
    `${target}: ${oneLine(why === undefined ? 'not found' : `${why.sentence}; ${why.nextStep}`)}`,
  );
}
