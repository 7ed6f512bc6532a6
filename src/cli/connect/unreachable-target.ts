import type { NotOpened } from '../../live/io/kube/kube-cluster.ts';
import { oneLine } from '../../base/text-layout.ts';
import { explain } from '../../live/replies/explain.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';

/** Says in one line why a target cannot be reached; returns the exit code. */
export function reportUnreachable({ path, reply, address }: NotOpened, target: string, io: Io): number {
  const why = explain(reply, { target, via: 'api-server', address, path });
  return fail(
    io,
    EXIT.couldNotObserve,
    `${target}: ${oneLine(why === undefined ? 'not found' : `${why.sentence}; ${why.nextStep}`)}`,
  );
}
