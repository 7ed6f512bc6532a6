/** Ends a request at its deadline, or when the caller's signal aborts. */
import { setMaxListeners } from 'node:events';
import type { Cut } from '../../reply.ts';
import type { RequestLimits } from '../../target-connection.ts';

export interface RequestBounds {
  readonly signal: AbortSignal;
  /** Why the request was ended; undefined while it was not. */
  readonly reached: () => Cut | undefined;
  readonly release: () => void;
}

/** AbortSignal.any would leave some 2 KB per request in the caller's signal, which lives as long as a watch does. */
export function requestBounds({ deadlineSeconds, signal: callers }: RequestLimits): RequestBounds {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      stop();
    },
    Math.ceil(deadlineSeconds * 1000),
  ).unref();
  if (callers?.aborted === true) stop();
  else if (callers !== undefined) {
    // A hundred requests at once are not the leak that Node.js would warn of.
    setMaxListeners(0, callers);
    callers.addEventListener('abort', stop, { once: true });
  }
  return {
    signal: controller.signal,
    reached: () => {
      if (callers?.aborted === true) return { why: 'stopped', message: 'stopped' };
      if (isLate) return { why: 'deadline', message: `not done within ${deadlineSeconds} s` };
      return undefined;
    },
    release: () => {
      clearTimeout(timer);
      callers?.removeEventListener('abort', stop);
    },
  };
}
