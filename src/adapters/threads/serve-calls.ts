/** The side of a thread that answers calls; start-thread.ts makes them. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import type { Answer, Call, ThreadError } from './thread-messages.ts';

export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

export function serveCalls(methods: Methods): void {
  const port = parentPort;
  assert(port !== null, 'this runs in a thread');
  port.on('message', ({ id, method, args }: Call) => {
    const answer = (message: Answer): void => {
      if (id !== 0) port.postMessage(message);
    };
    // A call fails for itself: the next one is answered all the same.
    Promise.resolve()
      .then(() => methods[method](...(args as never[])))
      .then(
        result => answer({ id, result }),
        (error: Error & { kind?: string }) => answer({ id, error: errorOf(error) }),
      );
  });
}

function errorOf({ name, message, kind }: Error & { kind?: string }): ThreadError {
  return { name, message, ...(typeof kind === 'string' ? { kind } : {}) };
}
