/** Everything the server answers, from guards to pages; without sockets, so that tests can call it directly. */
import { Hono } from 'hono';
import { FAILURES, Failure } from '../../base/failure.ts';
import { apiRoutes, type ApiParts } from './api.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { loginAnswer, loginPage, tokenNeeded, tooManyFailures } from './login.ts';
import type { OwnMetrics } from './own-metrics.ts';
import { Refusal, refusalAnswer } from './refusal.ts';
import { allowedMethods, guard, type GuardOptions } from './request-guards.ts';
import { addSecurityHeaders } from './security-headers.ts';
import type { ServerEnv } from './server-env.ts';
import type { TokenAuth } from './token-auth.ts';
import { viewerRoutes, type Viewer } from './viewer-routes.ts';
import { webAnswer, type WebFiles } from './web-files.ts';

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
      const seconds = throttle.waitSeconds(address);
      if (seconds > 0) return refusalAnswer(tooManyFailures(seconds));
      const given = url.searchParams.get('token');
      if (given !== null && auth.isToken(given)) throttle.succeeded(address);
      else if (given !== null) throttle.failed(address);
      return next();
    }
    if (auth.admits(header) || parts.more?.guardsItself(c.req.method, url.pathname) === true) return next();
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
