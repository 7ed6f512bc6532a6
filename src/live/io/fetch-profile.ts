/**
 * Fetches profiles over http, https and unix sockets as pprof does: the same URLs, `-seconds` as a query, the same
 * timeouts and the same messages.
 *
 *     localhost:6060                                 -> http://localhost:6060/debug/pprof/profile
 *     https+insecure://node:10250/debug/pprof/heap   no check of the certificate
 *     unix:///run/kcp.sock/debug/pprof/heap          the socket is the longest prefix that is one
 */
import { statSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { formatSeconds } from '../../base/say.ts';
import { concatBytes, decodeText } from '../../base/text.ts';
import { Failure } from '../../base/errors.ts';

export interface FetchOptions {
  /** -seconds; not positive means unset. */
  readonly seconds: number;
  /** -timeout; not positive means 60 s, or half as long again as the profile takes. */
  readonly timeoutSeconds: number;
  /** Files; '' if not given. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Reads one of them, up to a bound. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** Bytes of the body at which fetching stops. */
  readonly maxBytes: number;
}

export interface ProfileUrl {
  readonly url: URL;
  readonly socketPath: string | undefined;
  readonly insecure: boolean;
  readonly timeoutSeconds: number;
  /** As shown to the user. */
  readonly text: string;
}

/** The maximum of Node's timers: about 25 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const CPU_PROFILE = '/debug/pprof/profile';

/** The URL that a source names; undefined if it cannot be one. */
export function profileUrl(
  source: string,
  options: Pick<FetchOptions, 'seconds' | 'timeoutSeconds'>,
): ProfileUrl | undefined {
  const socket = /^unix:\/\/(\/.*)$/.exec(source);
  if (socket?.[1] !== undefined) return socketUrl(socket[1], source, options);
  const insecure = source.startsWith('https+insecure://');
  const plain = insecure ? source.replace('https+insecure', 'https') : source;
  const url = parseUrl(/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(plain) ? plain : `http://${plain}`);
  // `heap.pb.gz` is a host name to a URL parser; a source without a port or a path is a file that is not there.
  const named = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(plain) || /^[^/]+:/.test(plain);
  if (url === undefined || !named || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (url.pathname === '' || url.pathname === '/') url.pathname = CPU_PROFILE;
  const timeoutSeconds = applySeconds(url, options);
  const text = insecure ? url.href.replace('https:', 'https+insecure:') : url.href;
  return { url, socketPath: undefined, insecure, timeoutSeconds, text };
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function socketUrl(
  path: string,
  source: string,
  options: Pick<FetchOptions, 'seconds' | 'timeoutSeconds'>,
): ProfileUrl {
  const [file = '', query = ''] = path.split(/\?(.*)/s);
  let end = file.length;
  while (end > 0 && !isSocket(file.slice(0, end).replace(/:$/, ''))) end = file.lastIndexOf('/', end - 1);
  // No socket there: try the whole path, so that the error names it.
  const socketPath = end > 0 ? file.slice(0, end).replace(/:$/, '') : file;
  const pathname = end > 0 && file.length > end ? file.slice(end) : CPU_PROFILE;
  const url = new URL(`http://localhost${pathname}${query === '' ? '' : `?${query}`}`);
  return { url, socketPath, insecure: false, timeoutSeconds: applySeconds(url, options), text: source };
}

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false; // not there, or below something that is no folder
  }
}

/** Puts -seconds into the query; returns how long to wait for the answer. */
function applySeconds(url: URL, options: Pick<FetchOptions, 'seconds' | 'timeoutSeconds'>): number {
  let seconds = options.seconds;
  if (seconds > 0) url.searchParams.set('seconds', String(seconds));
  else if (/^[0-9]{1,9}$/.test(url.searchParams.get('seconds') ?? ''))
    seconds = Number(url.searchParams.get('seconds'));
  if (options.timeoutSeconds > 0) return options.timeoutSeconds;
  return seconds > 0 ? seconds * 1.5 : 60;
}

/** The body of a profile URL; throws an Error that says what the server or the network answered. */
export async function fetchProfileBytes(target: ProfileUrl, options: FetchOptions): Promise<Uint8Array> {
  const response = await send(target, options);
  const body = await readBody(response, options.maxBytes, target);
  if (response.statusCode === 200) return body;
  const status = `server response: ${response.statusCode} ${response.statusMessage}`;
  const fromPprof = response.headers['x-go-pprof'] !== undefined;
  const isText = String(response.headers['content-type'] ?? '').includes('text/plain');
  throw new Failure('no-answer', fromPprof && isText ? `${status} - ${decodeText(body).trimEnd()}` : status);
}

async function send(target: ProfileUrl, options: FetchOptions, redirects = 0): Promise<IncomingMessage> {
  const { url, socketPath } = target;
  const request: RequestOptions = {
    method: 'GET',
    headers: { 'user-agent': 'oakum' },
    signal: AbortSignal.timeout(Math.min(Math.ceil((target.timeoutSeconds + 5) * 1000), MAX_TIMER_MS)),
    ...(socketPath === undefined ? {} : { socketPath }),
  };
  const tls = {
    rejectUnauthorized: !target.insecure,
    ...(options.tls.cert === '' ? {} : { cert: await options.readFile(options.tls.cert) }),
    ...(options.tls.key === '' ? {} : { key: await options.readFile(options.tls.key) }),
    ...(options.tls.ca === '' ? {} : { ca: await options.readFile(options.tls.ca) }),
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage): void => {
      const { location } = response.headers;
      const redirected = response.statusCode !== undefined && response.statusCode >= 301 && response.statusCode <= 308;
      if (!redirected || location === undefined || socketPath !== undefined) return resolve(response);
      response.resume();
      if (redirects === 10)
        return reject(new Failure('no-answer', `Get ${JSON.stringify(target.text)}: stopped after 10 redirects`));
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (next?.protocol !== 'http:' && next?.protocol !== 'https:') {
        return reject(
          new Failure('no-answer', `Get ${JSON.stringify(target.text)}: redirected to ${JSON.stringify(location)}`),
        );
      }
      resolve(send({ ...target, url: next }, options, redirects + 1));
    };
    const failed = (error: Error): void =>
      reject(new Failure('no-answer', `Get ${JSON.stringify(target.text)}: ${networkMessage(error, target)}`));
    try {
      const sent =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...request, ...(tls as RequestOptions) }, onResponse)
          : httpRequest(url, request, onResponse);
      sent.on('error', failed);
      sent.end();
    } catch (error) {
      // Certificates and keys that cannot be read are refused before anything is sent.
      failed(error as Error);
    }
  });
}

async function readBody(response: IncomingMessage, maxBytes: number, target: ProfileUrl): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Uint8Array).length;
      if (size > maxBytes) {
        response.destroy();
        throw new Failure('no-answer', `the answer is larger than ${maxBytes} bytes; set OAKUM_MAX_BYTES to read more`);
      }
      chunks.push(chunk as Uint8Array);
    }
  } catch (error) {
    throw new Failure('no-answer', `Get ${JSON.stringify(target.text)}: ${networkMessage(error as Error, target)}`);
  }
  return concatBytes(chunks);
}

function networkMessage(error: NodeJS.ErrnoException, target: ProfileUrl): string {
  const place = target.socketPath ?? target.url.host;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return `no answer within ${formatSeconds(target.timeoutSeconds + 5)}; raise -timeout, or ask for a shorter profile`;
  }
  if (/wrong version number/i.test(error.message) || error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'http: server gave HTTP response to HTTPS client';
  }
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial ${place}: connect: connection refused`;
    case 'ENOENT':
      return `dial unix ${place}: connect: no such file or directory`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial ${place}: lookup ${target.url.hostname}: no such host`;
    case 'ECONNRESET':
      return `${place}: connection reset while reading the answer`;
    default:
      return error.message;
  }
}
