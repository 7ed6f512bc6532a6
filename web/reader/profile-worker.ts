/** The worker: a desk at the end of a message port. */
import { FormatError } from '../../src/base/errors.ts';
import { compileGoRegexp } from '../../src/pprof/units/go-regexp.ts';
import type { Reply, Request, View } from './messages.ts';
import { ProfileDesk } from './profile-service.ts';

const desk = new ProfileDesk(compileGoRegexp);

addEventListener('message', (event: MessageEvent<Request>) => {
  const { id, ask, question } = event.data;
  desk.answer(ask, question).then(
    answer => reply({ id, ok: true, answer }, ask === 'view' ? columnsOf(answer as View) : []),
    (error: unknown) => reply({ id, ok: false, ...failure(error) }, []),
  );
});

function reply(message: Reply, transfer: Transferable[]): void {
  (postMessage as (message: unknown, transfer: Transferable[]) => void)(message, transfer);
}

/** The columns of a tree are handed over, not copied. */
function columnsOf({ tree }: View): Transferable[] {
  const columns = [...Object.values(tree), ...Object.values(tree.before ?? {})].filter(ArrayBuffer.isView);
  return [...new Set(columns.map(column => column.buffer as ArrayBuffer))];
}

function failure(error: unknown): { message: string; isBug: boolean } {
  if (error instanceof FormatError) return { message: error.describe(), isBug: false };
  const message = error instanceof Error ? error.message : String(error);
  return { message, isBug: !message.startsWith('error parsing regexp') };
}
