import { formatSeconds } from '../../base/say.ts';
import type { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';

/** An error as an answer: a status, a sentence, and what to do about it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly hint: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, sentence: string, hint = '', headers: Readonly<Record<string, string>> = {}) {
    super(sentence);
    this.status = status;
    this.hint = hint;
    this.headers = headers;
  }
}

/** `{ "error": "No target \"worker-17\".", "hint": "The fleet lists all targets." }` */
export function refusalAnswer({ status, message, hint, headers }: Refusal): Response {
  return new Response(`${JSON.stringify({ error: message, hint })}\n`, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

/** The result of a promise, or a refusal if it takes too long; the work itself is not stopped. */
export async function withinSeconds<T>(seconds: number, work: Promise<T> | T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new Refusal(
          504,
          `There was no answer within ${formatSeconds(seconds)}.`,
          'Try again, or ask for less at once.',
        ),
      );
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface ServerEnv {
  /** Absent if the app is called without a socket. */
  readonly Bindings: Partial<HttpBindings>;
}

/** Routes of a room above this one, such as plans, and what the rest of the server has to know about them. */
export interface MoreRoutes {
  addTo(api: Hono<ServerEnv>): void;
  /** Whether such a request is checked by its route, more strictly than requests that only read. */
  guardsItself(method: string, pathname: string): boolean;
  /** What the report about an incident says about them; '' for nothing. */
  story(incidentId: string): Promise<string>;
}
