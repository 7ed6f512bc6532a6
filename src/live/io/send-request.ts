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
import { type Socket, isIP } from 'node:net';
import { setMaxListeners } from 'node:events';
import { formatSeconds } from '../../base/say.ts';
import { concatBytes } from '../../base/text.ts';
import type { Answer, Cut, Reply, NoAnswer, NoAnswerKind, TlsProblem } from '../reply.ts';
import {
  type RequestLimits,
  type Credentials,
  type Endpoint,
  type OutgoingRequest,
  RequestError,
  type SendRequest,
} from '../ports.ts';
import { TlsSessions } from './tls-sessions.ts';

/** From an error of Node to the step at which a request failed. */
const KINDS: Readonly<Record<string, NoAnswerKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ENOENT: 'socket',
  EACCES: 'socket',
  ENOTSOCK: 'socket',
};

const TLS: Readonly<Record<string, TlsProblem>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown-ca',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-ca',
  CERT_SIGNATURE_FAILURE: 'unknown-ca',
  CERT_UNTRUSTED: 'unknown-ca',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'plain-http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'plain-http',
};

/** The environment names the proxies. What one sender sends to a server shares its TLS session. */
export function httpSender(env: Environment, sessions: TlsSessions = new TlsSessions()): SendRequest {
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
      const message = `no answer within ${formatSeconds(limits.deadlineSeconds)}`;
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

/** A tunnel through an HTTP proxy, over which TLS can be spoken with the server behind it. */
function openTunnel(proxy: URL, hostAndPort: string, signal: AbortSignal): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new RequestError('proxy', `the proxy ${proxy.host} did not connect to ${hostAndPort}: ${why}`));
    const sent = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: hostAndPort,
      headers: { host: hostAndPort, ...proxyAuthorization(proxy) },
      agent: false,
      signal,
    });
    sent.on('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket as Socket);
      socket.destroy();
      fail(`${response.statusCode} ${response.statusMessage}`);
    });
    sent.on('response', response => {
      response.destroy();
      fail(`${response.statusCode} ${response.statusMessage}`);
    });
    sent.on('error', error => fail(error.message || (error as NodeJS.ErrnoException).code || 'no connection'));
    sent.end();
  });
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, read as Go reads them. */
type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFromEnvironment(target: URL, env: Environment): URL | undefined {
  const read = (name: string): string => env[name.toUpperCase()] || env[name] || '';
  const text = target.protocol === 'https:' ? read('https_proxy') : read('http_proxy');
  if (text === '' || isExempt(target, read('no_proxy'))) return undefined;
  return parseProxyUrl(text);
}

function parseProxyUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw new RequestError('proxy', `cannot read the proxy's URL ${JSON.stringify(text)}`);
  return new URL(full);
}

/** Loopback addresses never go through a proxy. `.example.com` and `example.com` include subdomains. */
function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  for (const entry of noProxy.toLowerCase().split(/[\s,]+/)) {
    if (entry === '*') return true;
    const [, name = '', ofPort = ''] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (name === '' || (ofPort !== '' && ofPort !== port)) continue;
    if (name.includes('/') ? isInRange(host, name) : host === name || host.endsWith(`.${name.replace(/^\*?\./, '')}`))
      return true;
  }
  return false;
}

/** `10.96.0.0/12`: this is how clusters exempt their own ranges. */
function isInRange(host: string, range: string): boolean {
  const [network = '', bitsText] = range.split('/');
  if (isIP(host) !== 4 || isIP(network) !== 4) return false;
  const bits = Number(bitsText);
  const number = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  return Math.floor(number(host) / size) === Math.floor(number(network) / size);
}

/** Ends a request at its deadline, or when the caller's signal aborts. */
interface RequestBounds {
  readonly signal: AbortSignal;
  /** Why the request was ended; undefined while it was not. */
  readonly reached: () => Cut | undefined;
  readonly release: () => void;
}

/** AbortSignal.any would leave some 2 KB per request in the caller's signal, which lives as long as a watch does. */
function requestBounds({ deadlineSeconds, signal: callers }: RequestLimits): RequestBounds {
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
      if (isLate) return { why: 'deadline', message: `not done within ${formatSeconds(deadlineSeconds)}` };
      return undefined;
    },
    release: () => {
      clearTimeout(timer);
      callers?.removeEventListener('abort', stop);
    },
  };
}

function noAnswer(error: unknown, tookSeconds: number): NoAnswer {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const said = message === '' ? code : message;
  if (error instanceof RequestError) return { kind: error.kind, message: said, tls: undefined, tookSeconds };
  // Errors of a SOCKS agent have no code.
  if ((error as Error).constructor.name === 'SocksClientError') {
    return { kind: 'proxy', message: `the SOCKS proxy did not connect: ${said}`, tls: undefined, tookSeconds };
  }
  const tls = TLS[code] ?? tlsByMessage(said);
  if (tls !== undefined || /^ERR_(?:SSL|TLS)_/.test(code) || code === 'EPROTO') {
    return { kind: 'tls', message: said, tls, tookSeconds };
  }
  const kind = code.startsWith('HPE_') ? 'not-http' : (KINDS[code] ?? 'other');
  return { kind, message: said, tls: undefined, tookSeconds };
}

function tlsByMessage(message: string): TlsProblem | undefined {
  if (/wrong version number|packet length too long/i.test(message)) return 'plain-http';
  return /alert (?:number \d+.*)?(?:bad certificate|certificate (?:required|unknown|expired|revoked))|tlsv13 alert certificate required/i.test(
    message,
  )
    ? 'client-certificate'
    : undefined;
}
