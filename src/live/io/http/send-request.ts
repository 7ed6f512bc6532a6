/**
 * One request, bounded in time and bytes. Redirects are not followed: credentials go only to the host they are for.
 * Connections are not kept alive, unless the request says so: a target that dies between two requests then fails at once.
 * TLS sessions are resumed.
 */
import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { concatBytes } from '../../../base/text.ts';
import type { Answer, Cut, Reply } from '../../reply.ts';
import {
  type Credentials,
  type Endpoint,
  type OutgoingRequest,
  RequestError,
  type SendRequest,
} from '../../request-sender.ts';
import type { RequestLimits } from '../../target-connection.ts';
import { noAnswer } from './no-answer.ts';
import { type Environment, parseProxyUrl, proxyFromEnvironment } from './proxy-environment.ts';
import { openTunnel, proxyAuthorization } from './proxy-tunnel.ts';
import { requestBounds } from './request-bounds.ts';
import { TlsSessions } from './tls-sessions.ts';

/** Of all senders of this process. */
const SESSIONS = new TlsSessions();

/** The environment names the proxies. */
export function httpSender(env: Environment, sessions: TlsSessions = SESSIONS): SendRequest {
  return (endpoint, request, limits) => sendRequest(endpoint, request, limits, env, sessions);
}

const NO_CREDENTIALS: Credentials = { headers: {} };

async function sendRequest(
  endpoint: Endpoint,
  request: OutgoingRequest,
  limits: RequestLimits,
  env: Environment,
  sessions: TlsSessions,
): Promise<Reply> {
  let startedAt = performance.now();
  const took = (): number => (performance.now() - startedAt) / 1000;
  const { signal, reached, release } = requestBounds(limits);
  let wasSent = false;
  try {
    const given = await orAborted(endpoint.credentials?.(signal) ?? Promise.resolve(NO_CREDENTIALS), signal);
    const credentials = limits.withoutCredentials === true ? { ...NO_CREDENTIALS, ...toReach(given) } : given;
    // The time a plugin takes to log in is not the target's.
    startedAt = performance.now();
    const proxy = credentials.agent === undefined ? proxyOf(endpoint, env) : undefined;
    const response = await send(endpoint, request, credentials, sessions, proxy, limits, signal, () => {
      // A proxy that speaks plain HTTP takes every request, whether or not the target is there.
      wasSent = proxy === undefined || endpoint.base.protocol === 'https:';
    });
    return await readAnswer(response, limits, reached, took);
  } catch (error) {
    const cut = reached();
    if (cut?.why === 'stopped') return { kind: 'stopped', message: 'stopped', tls: undefined, tookSeconds: took() };
    // The deadline passed before there was anything to send.
    if (error instanceof RequestError && error.kind === 'credentials') return noAnswer(error, took());
    if (cut !== undefined) {
      const message = `no answer within ${limits.deadlineSeconds} s`;
      return { kind: 'timeout', message, tls: undefined, tookSeconds: took(), wasSent };
    }
    return noAnswer(error, took());
  } finally {
    release();
  }
}

/** What it takes to reach the server, without what identifies the caller. */
function toReach({ ca, agent }: Credentials): Partial<Credentials> {
  return { ...(ca === undefined ? {} : { ca }), ...(agent === undefined ? {} : { agent }) };
}

/** Also for credentials that cannot be interrupted, such as a token file that is a pipe nobody writes to. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new RequestError('credentials', 'the credentials were not there in time'));
    // Whatever else watches the signal knows better why, and has a turn to say so.
    const onAbort = (): void => void setImmediate(giveUp);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject);
  });
}

function proxyOf({ base, socketPath, proxyUrl }: Endpoint, env: Environment): URL | undefined {
  if (socketPath !== undefined) return undefined;
  return proxyUrl === undefined ? proxyFromEnvironment(base, env) : parseProxyUrl(proxyUrl);
}

async function send(
  endpoint: Endpoint,
  { method, path, json, bytes, contentType = 'application/json' }: OutgoingRequest,
  credentials: Credentials,
  sessions: TlsSessions,
  proxy: URL | undefined,
  limits: RequestLimits,
  signal: AbortSignal,
  onSent: () => void,
): Promise<IncomingMessage> {
  const { base, socketPath } = endpoint;
  const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json));
  const fullPath = base.pathname.replace(/\/+$/, '') + path;
  const isTls = base.protocol === 'https:';
  const options: RequestOptions & { createConnection?: () => never } = {
    method,
    host: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (isTls ? 443 : 80),
    path: fullPath,
    headers: {
      host: base.host,
      'user-agent': endpoint.userAgent ?? 'oakum',
      accept: limits.accept ?? '*/*',
      ...(body === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
      ...(credentials.headers as Record<string, string | string[]>),
    },
    agent: (credentials.agent as Agent | undefined) ?? false,
    signal,
    ...(socketPath === undefined ? {} : { socketPath }),
  };
  if (proxy !== undefined) {
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
  const secure = isTls ? sessions.connect(endpoint, credentials) : undefined;
  if (secure === undefined) return new Promise((resolve, reject) => finish(httpRequest(options, resolve), reject));
  const mayReuse = limits.mayReuse === true && proxy === undefined && options.agent === false;
  return new Promise((resolve, reject) => {
    const overTls = (agent: Agent | false): void => {
      let isAnswered = false;
      const sent = httpsRequest({ ...options, ...secure.options, agent }, response => {
        isAnswered = true;
        resolve(response);
      });
      sent.on('socket', socket => {
        if (!sent.reusedSocket) secure.follow(socket as TLSSocket);
      });
      // The server may have closed a connection that was idle, while this request was on its way.
      const isStale = (): boolean => sent.reusedSocket && !isAnswered && !signal.aborted;
      finish(sent, error => (isStale() ? overTls(false) : reject(error)));
    };
    overTls(mayReuse ? secure.agent : (options.agent as Agent | false));
  });

  function finish(sent: ClientRequest, onError: (error: Error) => void): void {
    sent.on('error', onError);
    // Once the connection is open, and TLS agreed upon.
    sent.on('finish', onSent);
    sent.end(body);
  }
}

async function readAnswer(
  response: IncomingMessage,
  limits: RequestLimits,
  reached: () => Cut | undefined,
  took: () => number,
): Promise<Answer> {
  const headAtSeconds = Date.now() / 1000;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut: Cut | undefined;
  const isGood = Math.floor((response.statusCode ?? 0) / 100) === 2;
  const onBody = isGood ? limits.onBody : undefined;
  const keep = onBody ?? ((chunk: Uint8Array): void => void chunks.push(chunk));
  try {
    for await (const part of response) {
      const chunk = part as Uint8Array;
      const room = limits.maxBytes - size;
      keep(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(chunk.length, room);
      if (chunk.length > room) {
        cut = { why: 'too-large', message: `larger than ${limits.maxBytes} bytes, of which the first were kept` };
        break;
      }
    }
  } catch (error) {
    cut = reached() ?? { why: 'connection', message: `the connection ended early: ${(error as Error).message}` };
  } finally {
    response.destroy();
  }
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    headers: plainHeaders(response),
    body: concatBytes(chunks),
    ...(onBody === undefined ? {} : { streamedBytes: size }),
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
