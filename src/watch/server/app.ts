/** Everything the server answers, from guards to pages; without sockets, so that tests can call it directly. */
import { Hono } from 'hono';
import { apiRoutes, type ApiParts } from './api.ts';
import { loginAnswer, loginPage, tokenNeeded, tooManyFailures, type LoginThrottle, type TokenAuth } from './login.ts';
import type { OwnMetrics } from './own-metrics.ts';
import { Refusal, refusalAnswer, type ServerEnv } from './refusal.ts';
import { viewerRoutes, type Viewer } from './served-profiles.ts';
import { webAnswer, type WebFiles } from './web-files.ts';
import { visible } from '../../base/visible-text.ts';
import { isLoopbackHost } from './listen-address.ts';
import { FAILURES, Failure } from '../../base/errors.ts';

/**
 * Refuses requests before anything is looked up. A browser on this machine can reach a loopback server on behalf of any
 * page it shows; three headers that a page cannot forge distinguish such requests from our own:
 *
 *     Host             a foreign name that was made to point at 127.0.0.1 (DNS rebinding)
 *     Origin           a form or a script of another page that posts here
 *     Sec-Fetch-Site   a script or an image of another page that reads here, if the browser sends it
 */
const MAX_URL = 4096;

/** What may be posted: everything else is only read. */
const POSTED =
  /^\/api\/v1\/(?:targets\/.+\/capture|incidents\/[^/]+\/notes|plans\/[^/]+\/(?:apply|abort)|alertmanager)$/;

/** What may be read and posted. */
const BOTH = /^\/api\/v1\/incidents\/[^/]+\/plans$/;

/** Headers of every answer: our pages run only our code, and no other page reads our answers. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export interface AppParts extends ApiParts {
  readonly guards: GuardOptions;
  readonly auth: TokenAuth | undefined;
  readonly throttle: LoginThrottle;
  readonly metrics: OwnMetrics;
  readonly webFiles: WebFiles;
  /** If the server shows profiles and watches nothing. */
  readonly viewer: Viewer | undefined;
}

/** Probes have no token; these paths reveal nothing but yes or no. */
const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** For requests that cannot be parsed, such as a host that no URL can have. */
export function malformed(): Response {
  const answer = refusalAnswer(new Refusal(400, 'This request is malformed.'));
  addSecurityHeaders(answer.headers);
  return answer;
}

export function createApp(parts: AppParts): Hono<ServerEnv> {
  const { auth, events, metrics, service, throttle } = parts;
  const app = new Hono<ServerEnv>();

  app.use(async (c, next) => {
    // Given two Host headers, the adapter checks one and uses the other.
    if (!URL.canParse(c.req.url)) return malformed();
    const end = metrics.begin(new URL(c.req.url).pathname);
    await next();
    addSecurityHeaders(c.res.headers);
    end(c.res.status);
  });

  app.use(async (c, next) => {
    const url = new URL(c.req.url);
    const header = (name: string): string | undefined => c.req.header(name);
    const refused = guard({ method: c.req.method, url, header }, parts.guards);
    if (refused !== undefined) return refusalAnswer(refused);
    if (c.req.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { allow: allowedMethods(url.pathname) } });
    }
    const address = c.env?.incoming?.socket.remoteAddress ?? '';
    if (auth === undefined || PROBE_PATHS.has(url.pathname)) return next();
    if (url.pathname === '/login') {
      const given = url.searchParams.get('token');
      const seconds = given === null || auth.isToken(given) ? 0 : await throttle.refused(address);
      return seconds > 0 ? refusalAnswer(tooManyFailures(seconds)) : next();
    }
    if (auth.admits(header) || parts.more?.guardsItself(c.req.method, url.pathname) === true) return next();
    const seconds = auth.isGiven(header) ? await throttle.refused(address) : 0;
    if (seconds > 0) return refusalAnswer(tooManyFailures(seconds));
    const isPage = !url.pathname.startsWith('/api/') && (header('accept') ?? '').includes('text/html');
    return isPage ? loginPage() : refusalAnswer(tokenNeeded());
  });

  app.onError(error => {
    if (error instanceof Refusal) return refusalAnswer(error);
    parts.log(`a request failed: ${error.stack ?? error.message}`);
    if (error instanceof Failure) {
      const { httpStatus, hint } = FAILURES[error.code];
      return refusalAnswer(new Refusal(httpStatus, error.describe(), hint || 'The log of the server says more.'));
    }
    return refusalAnswer(new Refusal(500, 'The server could not answer this.', 'Its log says why.'));
  });
  app.notFound(() => refusalAnswer(new Refusal(404, 'There is nothing here.', 'docs/api.md lists the paths.')));

  if (parts.viewer !== undefined) app.route('/', viewerRoutes(parts.viewer));
  app.route('/api/v1', apiRoutes(parts));
  app.all('/api/*', c => c.notFound());

  app.get('/login', c => loginAnswer(new URL(c.req.url), auth));
  app.get('/healthz', c => c.text('ok\n'));
  app.get('/readyz', c => {
    const { lastRoundSeconds, store } = service.status();
    if (lastRoundSeconds === null) return c.text('not yet: the first round of samples is under way\n', 503);
    return c.text(store.degraded === null ? 'ok\n' : `ok, but the store is degraded: ${store.degraded}\n`);
  });
  app.get('/metrics', () => {
    const text = `${service.metrics()}${parts.notifier?.metrics() ?? ''}${metrics.render(events.counts)}# EOF\n`;
    return new Response(text, {
      headers: { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' },
    });
  });

  app.get('*', c => webAnswer(parts.webFiles, new URL(c.req.url).pathname, name => c.req.header(name)));
  return app;
}

export function addSecurityHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}

/** What the guards see of a request. */
interface RequestContext {
  readonly method: string;
  readonly url: URL;
  readonly header: (name: string) => string | undefined;
}

interface GuardOptions {
  /** Only this machine can reach the server, and no token is needed: the host must be a name of this machine. */
  readonly loopbackNamesOnly: boolean;
}

/** Undefined if the request may proceed. */
function guard(request: RequestContext, options: GuardOptions): Refusal | undefined {
  return (
    refuseLength(request) ??
    (options.loopbackNamesOnly ? refuseHost(request) : undefined) ??
    refuseMethod(request) ??
    (isRead(request.method) ? refuseForeignRead(request) : refuseForeignWrite(request))
  );
}

function allowedMethods(pathname: string): string {
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
