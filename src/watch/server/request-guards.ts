/**
 * Refuses requests before anything is looked up. A browser on this machine can reach a loopback server on behalf of any
 * page it shows; three headers that a page cannot forge distinguish such requests from our own:
 *
 *     Host             a foreign name that was made to point at 127.0.0.1 (DNS rebinding)
 *     Origin           a form or a script of another page that posts here
 *     Sec-Fetch-Site   a script or an image of another page that reads here, if the browser sends it
 */
import { visible } from '../../base/visible-text.ts';
import { isLoopbackHost } from './listen-address.ts';
import { Refusal } from './refusal.ts';

const MAX_URL = 4096;
/** What may be posted: everything else is only read. */
const POSTED =
  /^\/api\/v1\/(?:targets\/.+\/capture|incidents\/[^/]+\/notes|plans\/[^/]+\/(?:apply|abort)|alertmanager)$/;
/** What may be read and posted. */
const BOTH = /^\/api\/v1\/incidents\/[^/]+\/plans$/;

/** What the guards see of a request. */
export interface RequestContext {
  readonly method: string;
  readonly url: URL;
  readonly header: (name: string) => string | undefined;
}

export interface GuardOptions {
  /** Only this machine can reach the server, and no token is needed: the host must be a name of this machine. */
  readonly loopbackNamesOnly: boolean;
}

/** Undefined if the request may proceed. */
export function guard(request: RequestContext, options: GuardOptions): Refusal | undefined {
  return (
    refuseLength(request) ??
    (options.loopbackNamesOnly ? refuseHost(request) : undefined) ??
    refuseMethod(request) ??
    (isRead(request.method) ? refuseForeignRead(request) : refuseForeignWrite(request))
  );
}

export function allowedMethods(pathname: string): string {
  if (BOTH.test(pathname)) return 'GET, HEAD, POST, OPTIONS';
  return POSTED.test(pathname) ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function refuseLength({ url }: RequestContext): Refusal | undefined {
  if (url.pathname.length + url.search.length <= MAX_URL) return undefined;
  return new Refusal(414, `The address is longer than ${MAX_URL} characters.`);
}

function refuseHost({ header }: RequestContext): Refusal | undefined {
  const host = header('host') ?? '';
  if (isLoopbackHost(host)) return undefined;
  return new Refusal(
    403,
    `This server answers on this machine only, and not as ${visible(host.slice(0, 100)) || 'a server without a name'}.`,
    'Open it as localhost, or start it with a token to reach it by another name.',
  );
}

function refuseMethod({ method, url }: RequestContext): Refusal | undefined {
  const allow = allowedMethods(url.pathname);
  if (allow.split(', ').includes(method)) return undefined;
  return new Refusal(405, `${visible(method.slice(0, 20))} is not allowed here.`, `Allowed: ${allow}.`, { allow });
}

/** Links on other pages may open a page or a download; their scripts, images and streams may read nothing. */
function refuseForeignRead({ url, header }: RequestContext): Refusal | undefined {
  const site = header('sec-fetch-site');
  if (site !== 'cross-site' && site !== 'same-site') return undefined;
  if (header('sec-fetch-mode') === 'navigate' || !url.pathname.startsWith('/api/')) return undefined;
  return new Refusal(403, 'Another page may not read from this server.', 'Open the UI of this server itself.');
}

function refuseForeignWrite(request: RequestContext): Refusal | undefined {
  if (!isOwnOrigin(request)) {
    return new Refusal(403, 'Another page may not change anything here.', 'Use the UI of this server itself.');
  }
  const [type = ''] = (request.header('content-type') ?? '').split(';', 1);
  if (type.trim().toLowerCase() === 'application/json') return undefined;
  return new Refusal(415, 'The request must be JSON.', 'Send the header "Content-Type: application/json".');
}

/** A program such as curl sends neither header; a browser always sends `Origin` with a POST. */
function isOwnOrigin({ header }: RequestContext): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header('origin');
  if (origin === undefined) return true;
  try {
    const { protocol, host } = new URL(origin);
    return /^https?:$/.test(protocol) && host === header('host')?.toLowerCase();
  } catch {
    return false;
  }
}
