/**
 * One request, bounded in time and bytes. Redirects are not followed: credentials go to the host they are for and to
 * no other. Connections are not kept: a target that dies between two requests then says so at once.
 */
import { setMaxListeners } from 'node:events';
import { request as httpRequest, type Agent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { concatBytes } from '../../base/text.ts';
import type { RequestLimits } from '../../ports/target-connection.ts';
import type { Answer, Cut, Reply } from '../../model/reply.ts';
import { noAnswer, RequestError } from './no-answer.ts';
import { openTunnel, proxyAuthorization } from './proxy-tunnel.ts';

export interface Endpoint {
  /** Its path is put before that of every request. */
  readonly base: URL;
  readonly socketPath?: string;
  readonly proxy?: URL | undefined;
  readonly tls: TlsSettings;
  /** Asked before each request: tokens run out. A RequestError says why there are none. */
  readonly credentials?: () => Promise<Credentials>;
}

export interface TlsSettings {
  readonly serverName?: string;
  readonly insecure?: boolean;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Whom to believe instead of the system's authorities; also used when nobody is to prove who asks. */
  readonly ca?: string | Buffer;
  /** For proxies that need more than a tunnel, such as SOCKS. */
  readonly agent?: Agent;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  /** With its query; begins with a slash. */
  readonly path: string;
  readonly json?: unknown;
}

const NO_CREDENTIALS: Credentials = { headers: {} };

export async function sendRequest(endpoint: Endpoint, request: OutgoingRequest, limits: RequestLimits): Promise<Reply> {
  let startedAt = performance.now();
  const took = (): number => (performance.now() - startedAt) / 1000;
  const { signal, isLate, release } = boundsOf(limits);
  const stopped = (): Cut | undefined => {
    if (limits.signal?.aborted === true) return { why: 'stopped', message: 'stopped' };
    if (isLate()) return { why: 'deadline', message: `not done within ${limits.deadlineSeconds} s` };
    return undefined;
  };
  try {
    const given = await orAborted(endpoint.credentials?.() ?? Promise.resolve(NO_CREDENTIALS), signal);
    const credentials = limits.withoutCredentials === true ? { ...NO_CREDENTIALS, ...toReach(given) } : given;
    // A plugin that logs in is no part of how long the target took.
    startedAt = performance.now();
    const response = await send(endpoint, request, credentials, limits, signal);
    return await readAnswer(response, limits, stopped, took);
  } catch (error) {
    const cut = stopped();
    if (cut?.why === 'stopped') return { kind: 'stopped', message: 'stopped', tls: undefined, tookSeconds: took() };
    if (cut !== undefined)
      return {
        kind: 'timeout',
        message: `no answer within ${limits.deadlineSeconds} s`,
        tls: undefined,
        tookSeconds: took(),
      };
    return noAnswer(error, took());
  } finally {
    release();
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly isLate: () => boolean;
  readonly release: () => void;
}

/**
 * Aborts at the deadline, or with the signal of who asks. AbortSignal.any would leave something behind in that signal,
 * which lives as long as a watch does: some 2 KB for each request.
 */
function boundsOf({ deadlineSeconds, signal: given }: RequestLimits): Bounds {
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
  if (given?.aborted === true) stop();
  else if (given !== undefined) {
    // A hundred at once are no leak, as Node.js would warn.
    setMaxListeners(0, given);
    given.addEventListener('abort', stop, { once: true });
  }
  return {
    signal: controller.signal,
    isLate: () => isLate,
    release: () => {
      clearTimeout(timer);
      given?.removeEventListener('abort', stop);
    },
  };
}

/** What is needed to reach the server, without what says who asks. */
function toReach({ ca, agent }: Credentials): Partial<Credentials> {
  return { ...(ca === undefined ? {} : { ca }), ...(agent === undefined ? {} : { agent }) };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new RequestError('credentials', 'no credentials in time')), {
      once: true,
    });
    promise.then(resolve, reject);
  });
}

async function send(
  endpoint: Endpoint,
  { method, path, json }: OutgoingRequest,
  credentials: Credentials,
  limits: RequestLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { base, socketPath, proxy } = endpoint;
  const body = json === undefined ? undefined : JSON.stringify(json);
  const fullPath = base.pathname.replace(/\/+$/, '') + path;
  const isTls = base.protocol === 'https:';
  const options: RequestOptions & { createConnection?: () => never } = {
    method,
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (isTls ? 443 : 80),
    path: fullPath,
    headers: {
      host: base.host,
      'user-agent': 'oakum',
      accept: limits.accept ?? '*/*',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(credentials.headers as Record<string, string | string[]>),
    },
    agent: credentials.agent ?? false,
    signal,
    ...(socketPath === undefined ? {} : { socketPath }),
  };
  if (proxy !== undefined && credentials.agent === undefined) {
    if (isTls) {
      const target = `${base.hostname}:${options.port}`;
      const socket = await openTunnel(proxy, target, signal);
      Object.assign(options, { socket });
    } else {
      Object.assign(options, {
        host: proxy.hostname,
        port: proxy.port || 80,
        path: base.origin + fullPath,
        headers: { ...options.headers, ...proxyAuthorization(proxy) },
      });
    }
  }
  return new Promise((resolve, reject) => {
    const sent = isTls
      ? httpsRequest({ ...options, ...tlsOptions(endpoint, credentials) }, resolve)
      : httpRequest(options, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

function tlsOptions({ base, tls }: Endpoint, credentials: Credentials): Record<string, unknown> {
  const host = base.hostname.replace(/^\[|\]$/g, '');
  return {
    rejectUnauthorized: tls.insecure !== true,
    ...(credentials.ca === undefined ? {} : { ca: credentials.ca }),
    // An address is no server name in TLS, but it is checked against the certificate all the same.
    servername: tls.serverName ?? (/^[\d.]+$|:/.test(host) ? '' : host),
    ...(credentials.cert === undefined ? {} : { cert: credentials.cert }),
    ...(credentials.key === undefined ? {} : { key: credentials.key }),
  };
}

async function readAnswer(
  response: IncomingMessage,
  limits: RequestLimits,
  stopped: () => Cut | undefined,
  took: () => number,
): Promise<Answer> {
  const headAtSeconds = Date.now() / 1000;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut: Cut | undefined;
  try {
    for await (const part of response) {
      const chunk = part as Uint8Array;
      const room = limits.maxBytes - size;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, room);
      if (chunk.length > room) {
        cut = { why: 'too-large', message: `larger than ${limits.maxBytes} bytes, of which the first were kept` };
        break;
      }
    }
  } catch (error) {
    cut = stopped() ?? { why: 'connection', message: `the connection ended early: ${(error as Error).message}` };
  } finally {
    response.destroy();
  }
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    headers: plainHeaders(response),
    body: concatBytes(chunks),
    cut,
    headAtSeconds,
    dateSeconds: dateOf(response.headers.date),
    tookSeconds: took(),
  };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return out;
}

function dateOf(text: string | undefined): number | undefined {
  const millis = Date.parse(text ?? '');
  return Number.isNaN(millis) ? undefined : millis / 1000;
}
