/** Faults of an answer, for `cluster.fault(path, ...)`. A fault receives the answer that it replaces. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { recordedAnswer } from './recording.ts';

export interface PlannedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type Fault = (planned: PlannedAnswer, request: IncomingMessage, response: ServerResponse) => void;

export function answerWith(status: number, body: string, headers: Record<string, string> = {}): Fault {
  return (_, __, response) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
    response.end(body);
  };
}

export function recorded(name: string): Fault {
  const { status, headers, body } = recordedAnswer(name);
  return answerWith(status, body, { ...headers });
}

/** Declares the length of the body, sends a part and drops the connection. */
export function cutAfter(bytes: number): Fault {
  return ({ status, headers, body }, _, response) => {
    response.writeHead(status, { ...headers, 'content-length': String(body.length) });
    response.write(body.subarray(0, bytes), () => setTimeout(() => response.socket?.destroy(), 20));
  };
}

/** One byte every 20 ms, as long as the client listens. */
export function slowDrip(): Fault {
  return ({ status, headers, body }, _, response) => {
    response.writeHead(status, headers);
    let at = 0;
    const timer = setInterval(() => response.write(body.subarray(at, ++at)), 20);
    response.on('close', () => clearInterval(timer));
  };
}

/** A body without an end. */
export function endless(): Fault {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  return ({ status, headers }, _, response) => {
    response.writeHead(status, headers);
    const pump = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', pump);
    };
    pump();
  };
}

/** Takes the request and never answers. */
export function hang(): Fault {
  return () => {};
}

/** Closes the connection before an answer. */
export function reset(): Fault {
  return (_, request) => void request.socket.destroy();
}

/** Exactly this many bytes, like a dump that the runtime cut at 64 MiB. */
export function sized(bytes: number): Fault {
  return ({ headers }, _, response) => {
    const line = Buffer.from('goroutine 1 [select]:\nmain.main()\n\t/src/main.go:1 +0x1\n\n');
    response.writeHead(200, headers);
    response.end(Buffer.alloc(bytes, line));
  };
}

export function withDate(seconds: number): Fault {
  return ({ status, headers, body }, _, response) => {
    response.writeHead(status, { ...headers, date: new Date(seconds * 1000).toUTCString() });
    response.end(body);
  };
}
