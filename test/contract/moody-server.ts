/**
 * A server that behaves as its path says:
 *
 *     /echo?x=1      200, the request as text       /status/418    that status       /redirect     302 to /echo
 *     /hang          never answers                  /reset         closes at once
 *     /cut           declares 1,000 bytes, sends 100 and closes
 *     /drip          one byte every 10 ms           /endless       bytes without an end
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { cutAfter, endless, type Fault, hang, reset, slowDrip } from '../double/faults.ts';

export const DATE_SECONDS = 1_794_772_310;

const PLANNED = { status: 200, headers: {}, body: Buffer.alloc(1000, 'x') };
const FAULTS: Readonly<Record<string, Fault>> = {
  '/hang': hang(),
  '/reset': reset(),
  '/cut': cutAfter(100),
  '/drip': slowDrip(),
  '/endless': endless(),
};

export interface MoodyServer {
  /** For an address; undefined for a socket. */
  readonly port: number;
  close(): Promise<void>;
}

export interface MoodyOptions {
  readonly socketPath?: string;
  readonly tls?: boolean;
  /** A prefix of the paths above; other paths get the answers below, or 404. */
  readonly prefix?: string;
  readonly answers?: (path: string) => unknown;
}

export async function startMoodyServer(options: MoodyOptions = {}): Promise<MoodyServer> {
  const { prefix = '' } = options;
  const listener: RequestListener = (request, response) => {
    const full = request.url ?? '';
    const json = full.startsWith(prefix) ? undefined : options.answers?.(full);
    if (json !== undefined) return void response.end(JSON.stringify(json));
    if (!full.startsWith(prefix)) return void response.writeHead(404).end();
    const path = full.slice(prefix.length);
    const fault = FAULTS[path];
    if (fault !== undefined) return fault(PLANNED, request, response);
    const [, status] = /^\/status\/(\d+)$/.exec(path) ?? [];
    if (status !== undefined) return void response.writeHead(Number(status)).end('as you wish');
    if (path === '/redirect') return void response.writeHead(302, { location: `${prefix}/echo` }).end();
    const authorization = request.headers.authorization ?? 'nobody';
    response.writeHead(200, { 'X-Mood': 'good', date: new Date(DATE_SECONDS * 1000).toUTCString() });
    response.end(`${request.method} ${path} ${request.headers.accept} by ${authorization}`);
  };
  const server = options.tls === true ? tlsServer(listener) : createServer(listener);
  await new Promise<void>(resolve =>
    options.socketPath === undefined
      ? server.listen(0, '127.0.0.1', resolve)
      : server.listen(options.socketPath, resolve),
  );
  const address = server.address();
  return {
    port: typeof address === 'string' ? 0 : ((address as AddressInfo | null)?.port ?? 0),
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

export const CA_FILE: URL = new URL('../double/certificates/ca.crt', import.meta.url);

function tlsServer(listener: RequestListener): Server {
  const file = (name: string): Buffer => readFileSync(new URL(`../double/certificates/${name}`, import.meta.url));
  return createTlsServer({ cert: file('server.crt'), key: file('server.key') }, listener) as unknown as Server;
}
