/** What the two sides of a thread send each other. */
import { type MessagePort, type Worker, parentPort } from 'node:worker_threads';
import { assert } from '../../../base/errors.ts';

/** An id of 0 wants no answer. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type Answer =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: ThreadError };

/** What is left of an error on the other side; `kind` tells the errors of a port apart. */
export interface ThreadError {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
}

/** One end of a channel: a worker, the parent's port in a worker, or an end of a MessageChannel. */
export type MessageEnd = Worker | MessagePort;

/** The side of a channel that answers calls; calls-over.ts makes them. */
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
