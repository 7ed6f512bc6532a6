/** In front of a real server: passes everything on as it is, unless it is told to misbehave. */
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Mood =
  | 'well'
  | 'every third answer is 500'
  | 'slow' // a tenth of a second before every answer
  | 'every third body is cut'
  | 'every third connection is reset'
  | 'the answer to every third write is lost' // after it was done
  | 'lists nothing' // as a listing that lags
  | 'down';

export interface FaultyProxy {
  readonly url: string;
  mood: Mood;
  faults: number;
  close(): Promise<void>;
}

const SLOW_MS = 100;

export async function startProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  let turn = 0;
  const server = createServer((request, response) => {
    const isHit = turn++ % 3 === 0;
    const { mood } = proxy;
    if (mood === 'down' || (mood === 'every third connection is reset' && isHit)) return fail(response);
    if (mood === 'every third answer is 500' && isHit) {
      proxy.faults++;
      request.resume().on('end', () => response.writeHead(500).end('<Error><Code>InternalError</Code></Error>'));
      return;
    }
    pass(request, response, answer => {
      const isWrite = request.method === 'PUT' || request.method === 'DELETE';
      if (mood === 'the answer to every third write is lost' && isHit && isWrite) return fail(response);
      if (mood === 'every third body is cut' && isHit && answer.body.length > 1) {
        proxy.faults++;
        response.writeHead(answer.status, answer.headers);
        return void response.write(answer.body.subarray(0, answer.body.length / 2), () => response.socket?.destroy());
      }
      const isListing = (request.url ?? '').includes('list-type=2');
      if (mood === 'lists nothing' && isListing) {
        proxy.faults++;
        return void response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
      }
      setTimeout(
        () => response.writeHead(answer.status, answer.headers).end(answer.body),
        mood === 'slow' ? SLOW_MS : 0,
      );
    });
  });
  const fail = (response: ServerResponse): void => {
    proxy.faults++;
    response.socket?.destroy();
  };
  const pass = (request: IncomingMessage, response: ServerResponse, done: (answer: Passed) => void): void => {
    const { method, url, headers } = request;
    // With the Host of the client, which is signed.
    const onward = httpRequest({ hostname, port, method, path: url, headers, agent: false }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { 'transfer-encoding': _, ...rest } = answer.headers;
        done({ status: answer.statusCode ?? 0, headers: rest, body: Buffer.concat(chunks) });
      });
    });
    onward.on('error', () => response.socket?.destroy());
    request.pipe(onward);
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'well',
    faults: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return proxy;
}

interface Passed {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}
