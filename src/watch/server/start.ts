/**
 * Starts the server of a watch:
 *
 *     const server = await startServer({ service, host: 'localhost', port: 7777, webFolder: WEB_FOLDER, log });
 *     ...
 *     await server.stop();
 *
 * It listens on this machine only, unless there is a token.
 */
import { getRequestListener } from '@hono/node-server';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Notifier } from '../notify/start-notifier.ts';
import type { WatchService } from '../watch-service.ts';
import { AnswerCache } from './body.ts';
import { createApp, malformed } from './app.ts';
import { CONNECTION_LIMITS, LimitedConnections, type ConnectionLimits } from './connection-limits.ts';
import { EventHub, HUB_LIMITS, type HubLimits } from './event-hub.ts';
import { isLoopback, resolveHost, urlOf } from './listen-address.ts';
import { OwnMetrics } from './own-metrics.ts';
import type { Viewer } from './served-profiles.ts';
import { readWebFiles } from './web-files.ts';
import { LoginThrottle, MIN_TOKEN_LENGTH, tokenAuth } from './login.ts';
import type { MoreRoutes } from './refusal.ts';
import { Failure } from '../../base/errors.ts';

export interface ServerOptions {
  readonly service: WatchService;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly token?: string;
  /** The built UI; without it, only the API works. */
  readonly webFolder: string;
  /** If it shows profiles and watches nothing. */
  readonly viewer?: Viewer;
  /** Undefined if incidents are made known nowhere. */
  readonly notifier?: Notifier | undefined;
  /** Routes of plans; undefined if it has none. */
  readonly more?: MoreRoutes | undefined;
  /** One line about a failure, without a line break. */
  readonly log: (line: string) => void;
  readonly eventLimits?: Partial<HubLimits>;
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  /** `http://localhost:7777` */
  readonly url: string;
  readonly port: number;
  /** Waits some seconds at most for requests under way. The watch itself goes on. */
  stop(): Promise<void>;
}

/** Why the server was not started, for the command line. */
export class CannotServe extends Failure {
  override readonly name = 'CannotServe';

  constructor(message: string) {
    super('cannot-listen', message);
  }
}

const STOP_MS = 5000;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { service, host, token, log } = options;
  const address = await resolveHost(host);
  if (address === undefined) throw new CannotServe(`${host} is not an address of this machine`);
  checkToken(token, host, isLoopback(address));
  const webFiles = readWebFiles(options.webFolder);

  const cache = new AnswerCache();
  const events = new EventHub({
    status: () => service.status(),
    limits: { ...HUB_LIMITS, ...options.eventLimits },
    log,
  });
  const app = createApp({
    service,
    cache,
    events,
    metrics: new OwnMetrics(),
    webFiles,
    viewer: options.viewer,
    notifier: options.notifier,
    more: options.more,
    log,
    auth: token === undefined ? undefined : tokenAuth(token),
    throttle: new LoginThrottle(),
    guards: { loopbackNamesOnly: token === undefined },
  });
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 5000,
    maxHeaderSize: 16 * 1024,
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: malformed });
  const { listener, close } = gracefulClose(server, (request, response) => void answer(request, response));
  new LimitedConnections({ ...CONNECTION_LIMITS, ...options.connectionLimits }, listener).attach(server);
  // Longer than any answer takes: this is for clients that do not read.
  server.setTimeout(150_000);
  try {
    await listen(server, address, options.port);
  } catch (error) {
    events.close();
    throw error;
  }
  if (webFiles.size === 0) log(`no web UI at ${options.webFolder}: only the API answers; npm run build makes it`);
  const unsubscribe = service.subscribe(event => {
    cache.invalidate(event);
    events.publish(event);
  });

  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf(host, port),
    port,
    stop: () => {
      stopping ??= (async () => {
        unsubscribe();
        events.close();
        await close();
      })();
      return stopping;
    },
  };
}

function checkToken(token: string | undefined, host: string, onLoopback: boolean): void {
  if (token === undefined) {
    if (onLoopback) return;
    throw new CannotServe(
      `others can reach ${host}, so a token is needed to listen there: --listen-token-file FILE; or listen on localhost`,
    );
  }
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return;
  throw new CannotServe(
    `a token has ${MIN_TOKEN_LENGTH} characters or more, without spaces; "openssl rand -hex 20" makes one`,
  );
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process; choose another port',
  EACCES: 'is not allowed for this user; choose a port from 1024',
  EADDRNOTAVAIL: 'is not an address of this machine',
};

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const place = port === 0 ? address : urlOf(address, port).replace('http://', '');
      reject(new CannotServe(`${place} ${LISTEN_ERRORS[error.code ?? ''] ?? `cannot be used: ${error.message}`}`));
    });
    server.listen({ host: address, port }, resolve);
  });
}

/** Ends all connections once no request is under way; browsers keep idle ones open. */
function gracefulClose(
  server: Server,
  answer: RequestListener,
): { readonly listener: RequestListener; readonly close: () => Promise<void> } {
  let underWay = 0;
  let onEnd = (): void => undefined;
  const listener: RequestListener = (request, response) => {
    underWay++;
    response.once('close', () => {
      underWay--;
      onEnd();
    });
    answer(request, response);
  };
  const close = (): Promise<void> =>
    new Promise(resolve => {
      const end = (): void => server.closeAllConnections();
      const late = setTimeout(end, STOP_MS);
      server.close(() => {
        clearTimeout(late);
        resolve();
      });
      onEnd = () => {
        if (underWay === 0) end();
      };
      onEnd();
    });
  return { listener, close };
}
