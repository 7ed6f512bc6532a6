/**
 * Made-up secrets of 30 kinds. Each holds random text of its own, so that finding any of it means that this one leaked.
 */
import type { Random } from '../fuzz/random.ts';

export interface Secret {
  readonly kind: string;
  readonly text: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const MIXED = LOWER + UPPER + DIGITS;

const from = (random: Random, letters: string, length: number): string =>
  Array.from({ length }, () => letters[random.below(letters.length)]).join('');
const word = (random: Random, length = 9): string => from(random, LOWER, length);
const octet = (random: Random): number => 1 + random.below(254);

const KINDS: Readonly<Record<string, (random: Random) => string>> = {
  password: random => `${word(random, 6)}${from(random, DIGITS, 3)}!${from(random, UPPER, 4)}`,
  'bearer token': random => `Bearer ${from(random, MIXED, 32)}`,
  jwt: random =>
    `eyJ${from(random, MIXED, 20)}.eyJ${from(random, MIXED, 24)}.${from(random, MIXED, 20)}-${word(random)}`,
  'AWS key id': random => `AKIA${from(random, UPPER + '234567', 16)}`,
  'AWS secret': random => `${from(random, MIXED, 18)}/${from(random, MIXED, 21)}`,
  'GitHub token': random => `ghp_${from(random, MIXED, 36)}`,
  'Slack token': random => `xoxb-${from(random, DIGITS, 11)}-${from(random, MIXED, 24)}`,
  'private key': random => `-----BEGIN EC PRIVATE KEY----- ${from(random, MIXED, 44)}==`,
  'SSH key': random => `ssh-ed25519 AAAAC3Nza${from(random, MIXED, 40)} ${word(random)}@${word(random)}`,
  'service account token': random => `eyJhbGciOiJSUzI1NiJ9.${from(random, MIXED, 60)}.${from(random, MIXED, 40)}`,
  'hex key': random => from(random, HEX, 32),
  'session cookie': random => `session=${from(random, MIXED, 26)}; Path=/`,
  email: random => `${word(random)}.${word(random)}@${word(random)}.example`,
  'user name': random => `${word(random, 5)}.${word(random, 7)}`,
  'person with spaces': random => `Zoë ${word(random)} Ł${word(random)}`,
  customer: random => `${word(random, 7)} ${word(random, 6)} GmbH & Co. "${word(random, 5)}"`,
  IPv4: random => `10.${octet(random)}.${octet(random)}.${octet(random)}`,
  'IPv4 with port': random => `192.168.${octet(random)}.${octet(random)}:${20000 + random.below(20000)}`,
  IPv6: random => `fd${from(random, HEX, 2)}:${from(random, HEX, 4)}:${from(random, HEX, 4)}::${from(random, HEX, 4)}`,
  MAC: random => Array.from({ length: 6 }, () => from(random, HEX, 2)).join(':'),
  host: random => `${word(random, 6)}-${from(random, DIGITS, 4)}.${word(random, 6)}.corp.example`,
  node: random => `ip-10-${octet(random)}-${octet(random)}-${octet(random)}.${word(random, 7)}.compute.internal`,
  pod: random => `${word(random, 6)}-${from(random, HEX, 9)}-${from(random, LOWER + DIGITS, 5)}`,
  namespace: random => `team-${word(random, 8)}-prod`,
  uuid: random => [8, 4, 4, 4, 12].map(length => from(random, HEX, length)).join('-'),
  'container id': random => `containerd://${from(random, HEX, 64)}`,
  image: random => `registry.${word(random, 6)}.example/${word(random, 7)}/app:${word(random, 6)}-7`,
  'URL with password': random =>
    `https://${word(random, 6)}:${from(random, MIXED, 12)}@${word(random, 6)}.example/x?y=1`,
  'credit card': random => `4${from(random, DIGITS, 15)}`,
  IBAN: random => `DE${from(random, DIGITS, 20)}`,
  'home folder': random => `/home/${word(random, 8)}/.kube/${word(random, 6)}`,
};

export const SECRET_KINDS: readonly string[] = Object.keys(KINDS);

export function secretOf(kind: string, random: Random): Secret {
  return { kind, text: (KINDS[kind] ?? ((): string => kind))(random) };
}

/** How a secret is written where it is planted. */
export const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: text => text,
  base64: text => Buffer.from(text).toString('base64'),
  base64url: text => Buffer.from(text).toString('base64url'),
  hex: text => Buffer.from(text).toString('hex'),
  url: text => encodeURIComponent(text),
};

/** As it stands in a name that allows letters, digits and `_` only. */
export function asIdentifier(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '_').replace(/^(?=\d)/, '_');
}

/** As it stands in the name of a file. */
export function asFileName(text: string): string {
  return text.replace(/[/\\\0]/g, '+').slice(0, 120);
}

/** Every form in which a secret would still be one. */
export function formsOf({ text }: Secret): readonly Buffer[] {
  const raw = Buffer.from(text);
  const plain = new Set([text, asIdentifier(text), asFileName(text), encodeURIComponent(text)]);
  plain.add(JSON.stringify(text).slice(1, -1));
  plain.add(raw.toString('hex'));
  plain.add(raw.toString('hex').toUpperCase());
  for (const shift of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(shift), raw]);
    const [start, end] = [Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    plain.add(shifted.toString('base64').slice(start, end));
    plain.add(shifted.toString('base64url').slice(start, end));
  }
  return [...plain].map(form => Buffer.from(form));
}
