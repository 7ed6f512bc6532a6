/** `/login?token=TOKEN&to=/p/ab12` exchanges the token for a cookie and continues. Pages without scripts or styles. */
import { Refusal } from './refusal.ts';
import type { TokenAuth } from './token-auth.ts';

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
  return new Refusal(429, 'Too many wrong tokens came from this address.', `Try again in ${seconds} s.`, {
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
