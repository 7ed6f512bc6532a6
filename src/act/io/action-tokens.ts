/**
 * Tokens that allow a person to act on the cluster through this server, one line each: `kim 4f1c...`. They are presented
 * as `Authorization: Bearer TOKEN`, with every single act; there is no cookie for them, so no page can act for anyone.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MIN_TOKEN_LENGTH } from '../../watch/server/login.ts';
import { Failure } from '../../base/errors.ts';

export interface ActionTokens {
  /** The name of whoever presents one; undefined if it is none. */
  readonly personOf: (authorization: string | undefined) => string | undefined;
}

const MAX_NAME = 80;
const MAX_PEOPLE = 1000;

/** Throws a usage failure that names the line, but not what it has. */
export function readActionTokens(text: string, path: string, listenToken: string | undefined): ActionTokens {
  const people: { readonly name: string; readonly token: string }[] = [];
  const wrong = (line: number, what: string): Failure => new Failure('usage', `${path}, line ${line}: ${what}`);
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', token = ''] = /^(\S(?:.*\S)?)[ \t]+(\S+)\s*$/.exec(line) ?? [];
    if (name === '') throw wrong(index + 1, 'expected the name of a person and their token: kim TOKEN');
    if (name.length > MAX_NAME || /\p{Cc}/u.test(name))
      throw wrong(index + 1, `a name has up to ${MAX_NAME} characters`);
    if (token.length < MIN_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token))
      throw wrong(index + 1, `a token has ${MIN_TOKEN_LENGTH} characters or more; "openssl rand -hex 20" makes one`);
    if (token === listenToken) throw wrong(index + 1, 'the token to read must not be one to act');
    if (people.some(one => one.token === token)) throw wrong(index + 1, 'two people have the same token');
    if (people.some(one => one.name === name)) throw wrong(index + 1, 'the name is there twice');
    people.push({ name, token });
  }
  if (people.length === 0) throw new Failure('usage', `${path} has no tokens; write one line per person: kim TOKEN`);
  if (people.length > MAX_PEOPLE) throw new Failure('usage', `${path} has more than ${MAX_PEOPLE} tokens`);
  const key = randomBytes(32);
  const digest = (token: string): Buffer => createHmac('sha256', key).update(token).digest();
  const known = people.map(({ name, token }) => ({ name, digest: digest(token) }));
  return {
    personOf: authorization => {
      const [, bearer] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
      if (bearer === undefined) return undefined;
      const given = digest(bearer);
      let found: string | undefined;
      // All are compared, so that the time tells nothing about which one is near.
      for (const { name, digest: wanted } of known) if (timingSafeEqual(given, wanted)) found = name;
      return found;
    },
  };
}
