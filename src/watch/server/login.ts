/** `/login?token=TOKEN&to=/p/ab12` exchanges the token for a cookie and continues. Pages without scripts or styles. */
import { formatSeconds } from '../../base/say.ts';
import { Refusal } from './refusal.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** `auth` is undefined if no token is needed. */
export function loginAnswer(url: URL, auth: TokenAuth | undefined): Response {
  const to = ownPath(url.searchParams.get('to') ?? '/');
  if (auth === undefined) return new Response(null, { status: 303, headers: { location: to } });
  if (!auth.isToken(url.searchParams.get('token') ?? '')) return loginPage();
  // Not a redirect: after a link from another site, the browser would not send a SameSite=Strict cookie.
  const body = `<meta http-equiv="refresh" content="0; url=${escaped(to)}"><p><a href="${escaped(to)}">Continue to Oakum</a></p>`;
  return page(200, 'Oakum', body, { 'set-cookie': auth.cookie });
}

/** For browsers without the cookie. */
export function loginPage(): Response {
  const body = `<h1>This server needs a token</h1>
<p>Open <code>/login?token=TOKEN</code> once in this browser, with the token the server was started with.</p>
<p>Programs send <code>Authorization: Bearer TOKEN</code>.</p>`;
  return page(401, 'Oakum: token needed', body, CHALLENGE);
}

export function tokenNeeded(): Refusal {
  return new Refusal(
    401,
    'This server needs a token.',
    'Open /login?token=TOKEN in the browser, or send "Authorization: Bearer TOKEN".',
    CHALLENGE,
  );
}

export function tooManyFailures(seconds: number): Refusal {
  return new Refusal(429, 'Too many wrong tokens came from this address.', `Try again in ${formatSeconds(seconds)}.`, {
    'retry-after': String(seconds),
  });
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="oakum"' };

/** Never leads to another server, whatever the link says. */
function ownPath(to: string): string {
  const here = 'http://here.invalid';
  if (!/^\/(?![/\\])/.test(to) || to.length > 2048) return '/';
  try {
    const url = new URL(to, here);
    return url.origin === here && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
  } catch {
    return '/';
  }
}

function page(status: number, title: string, body: string, headers: Readonly<Record<string, string>>): Response {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  return new Response(`<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>\n`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
}

/**
 * Slows down attempts to guess tokens, however they are given: after five wrong ones from an address, the next wrong one
 * is answered late, and with 1 s to wait, then 2 s, 4 s, ... up to a minute. A right token is let in at once: behind a
 * proxy all have the same address, and a stranger must not lock the others out.
 */
const FREE_FAILURES = 5;
const MAX_WAIT_MS = 60_000;
/** Before a wrong token too many is answered. */
const LATE_MS = 1000;
/** Nobody guessed for so long: what was is forgotten. */
const FORGET_MS = 10 * 60_000;
/** More addresses than that are not remembered; the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  readonly untilMs: number;
}

export class LoginThrottle {
  private readonly nowMs: () => number;
  private readonly sleep: (ms: number) => Promise<unknown>;
  private readonly failures = new Map<string, Failures>();

  constructor(nowMs: () => number = () => performance.now(), sleep: (ms: number) => Promise<unknown> = setTimeout) {
    this.nowMs = nowMs;
    this.sleep = sleep;
  }

  /** For how many seconds the address has to wait; 0 when it may try. */
  waitSeconds(address: string): number {
    const known = this.failures.get(address);
    return known === undefined ? 0 : Math.max(0, Math.ceil((known.untilMs - this.nowMs()) / 1000));
  }

  failed(address: string): void {
    const known = this.failures.get(address);
    const isRecent = known !== undefined && this.nowMs() - known.untilMs < FORGET_MS;
    const count = (isRecent ? known.count : 0) + 1;
    const waitMs = count < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(count - FREE_FAILURES, 16));
    this.failures.delete(address);
    this.failures.set(address, { count, untilMs: this.nowMs() + waitMs });
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_ADDRESSES && oldest !== undefined) this.failures.delete(oldest);
  }

  /** A wrong token: for how many seconds its sender is told to wait, after a while; 0 for the first ones. */
  async refused(address: string): Promise<number> {
    this.failed(address);
    const seconds = this.waitSeconds(address);
    if (seconds > 0) await this.sleep(LATE_MS);
    return seconds;
  }
}

/** Shorter ones can be guessed. */
export const MIN_TOKEN_LENGTH = 16;
const COOKIE_SECONDS = 30 * 86_400;

export interface TokenAuth {
  readonly isToken: (given: string) => boolean;
  /** By bearer token or by cookie. */
  /** A bearer token was given, right or wrong. A cookie cannot be guessed, and may be that of an earlier token. */
  readonly isGiven: (header: (name: string) => string | undefined) => boolean;
  readonly admits: (header: (name: string) => string | undefined) => boolean;
  /** The `Set-Cookie` of a login. */
  readonly cookie: string;
}

/**
 * One token gives access: as `Authorization: Bearer TOKEN`, or as a cookie that `/login?token=TOKEN` sets. The cookie
 * holds a value derived from the token, not the token itself; both are compared in constant time.
 */
export function tokenAuth(token: string): TokenAuth {
  const derived = (text: string): string => createHmac('sha256', token).update(text).digest('hex');
  // Cookies are shared between ports: two servers on one host must not overwrite each other's.
  const name = `oakum_${derived('name').slice(0, 8)}`;
  const value = derived('session');
  // Digests have the same length, which timingSafeEqual needs.
  const key = derived('comparison');
  const digest = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const isEqual = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));
  return {
    isToken: given => isEqual(given, token),
    isGiven: header => /^bearer +\S/i.test(header('authorization') ?? ''),
    admits: header => {
      const [, bearer] = /^bearer +(\S+)$/i.exec(header('authorization') ?? '') ?? [];
      if (bearer !== undefined) return isEqual(bearer, token);
      return cookiesNamed(name, header('cookie') ?? '').some(given => isEqual(given, value));
    },
    cookie: `${name}=${value}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict`,
  };
}

function cookiesNamed(name: string, header: string): string[] {
  return header
    .split(';')
    .map(part => part.trim().split('='))
    .filter(([given]) => given === name)
    .map(([, value = '']) => value);
}
