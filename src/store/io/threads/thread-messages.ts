/** What the two sides of a thread send each other. */
import type { MessagePort, Worker } from 'node:worker_threads';

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
