/** The side of a channel that answers calls; calls-over.ts makes them. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import type { Answer, Call, MessageEnd, ThreadError } from './thread-messages.ts';

export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** In a thread, over the port to whoever started it. */
export function serveCalls(methods: Methods, port: MessageEnd | null = parentPort): void {
  assert(port !== null, 'this runs in a thread');
  port.on('message', ({ id, method, args }: Call) => {
    const answer = (message: Answer): void => {
      if (id !== 0) port.postMessage(message);
    };
    // A call that fails does not keep the next one from being answered.
    Promise.resolve()
      .then(() => {
        const called = methods[method];
        assert(called !== undefined, `no method ${method}`);
        return called(...(args as never[]));
      })
      .then(
        result => answer({ id, result }),
        (error: Error & { kind?: string }) => answer({ id, error: errorOf(error) }),
      );
  });
}

function errorOf({ name, message, kind }: Error & { kind?: string }): ThreadError {
  return { name, message, ...(typeof kind === 'string' ? { kind } : {}) };
}
