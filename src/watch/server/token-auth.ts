/**
 * One token gives access: as `Authorization: Bearer TOKEN`, or as a cookie that `/login?token=TOKEN` sets. The cookie
 * holds a value derived from the token, not the token itself; both are compared in constant time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Shorter ones can be guessed. */
export const MIN_TOKEN_LENGTH = 16;
const COOKIE_SECONDS = 30 * 86_400;

export interface TokenAuth {
  readonly isToken: (given: string) => boolean;
  /** By bearer token or by cookie. */
  readonly admits: (header: (name: string) => string | undefined) => boolean;
  /** The `Set-Cookie` of a login. */
  readonly cookie: string;
}

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
