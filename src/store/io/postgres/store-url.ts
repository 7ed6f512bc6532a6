/**
 * The address of a store, as psql takes it, and the schema in it:
 *
 *     postgres://oakum@db.example.com/oakum?sslmode=verify-full&sslrootcert=ca.pem&schema=oakum
 *     postgres:///oakum?host=/var/run/postgresql
 *
 * The password comes from the address, PGPASSWORD or ~/.pgpass. What is shown never has it.
 */

import { Failure } from '../../../base/errors.ts';

export interface StoreAddress {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly schema: string;
  readonly connectMs: number;
  readonly sslmode: SslMode;
  readonly sslrootcert: string | undefined;
  readonly sslcert: string | undefined;
  readonly sslkey: string | undefined;
  /** Without its password. */
  readonly shown: string;
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

const PARAMETERS = [
  'host',
  'port',
  'user',
  'dbname',
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
];

const USUAL_SCHEMA = 'oakum';
const NO_HOST = 'no-host.invalid';

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

/** Throws a Failure that does not repeat the text, which may have a password. */
export function parseStoreUrl(text: string): StoreAddress {
  // A user without a host is fine here, but not for URL.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[/?]|$)/, `$1${NO_HOST}`);
  const url = isPostgresUrl(text) && URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined) throw new Failure('usage', '--store takes postgres://USER@HOST/DATABASE');
  const given = url.searchParams;
  const unknown = [...given.keys()].find(name => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new Failure('usage', `--store: unknown parameter ${unknown}; it takes ${PARAMETERS.join(', ')}`);
  const part = (inUrl: string, parameter: string): string | undefined =>
    (given.get(parameter) ?? decoded(inUrl)) || undefined;
  const host = part(url.hostname === NO_HOST ? '' : url.hostname, 'host');
  const port = part(url.port, 'port');
  const user = part(url.username, 'user');
  const database = part(url.pathname.replace(/^\//, ''), 'dbname');
  const isSocket = host?.startsWith('/') === true;
  const place = isSocket ? '' : (host ?? '') + (port === undefined ? '' : `:${port}`);
  const schema = schemaOf(given.get('schema') ?? USUAL_SCHEMA);
  // What tells it from other stores of the same database.
  const more = [...(isSocket ? [`host=${host}`] : []), ...(schema === USUAL_SCHEMA ? [] : [`schema=${schema}`])];
  return {
    host,
    port: port === undefined ? undefined : Number(port),
    user,
    password: decoded(url.password) || undefined,
    database,
    schema,
    connectMs: connectMsOf(given.get('connect_timeout')),
    sslmode: sslModeOf(given.get('sslmode')),
    sslrootcert: given.get('sslrootcert') ?? undefined,
    sslcert: given.get('sslcert') ?? undefined,
    sslkey: given.get('sslkey') ?? undefined,
    shown: `postgres://${user === undefined ? '' : `${user}@`}${place}/${database ?? ''}${more.length === 0 ? '' : `?${more.join('&')}`}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure('usage', '--store: a % in the address has to be written as %25');
  }
}

/** It becomes part of statements. */
function schemaOf(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_')) return name;
  throw new Failure('usage', '--store: schema takes lower-case letters, digits and underscores');
}

const CONNECT_MS = 10_000;

function connectMsOf(text: string | null): number {
  const seconds = Number(text ?? CONNECT_MS / 1000);
  if (seconds >= 1 && seconds <= 60) return 1000 * seconds;
  throw new Failure('usage', '--store: connect_timeout takes 1 to 60 seconds');
}

function sslModeOf(text: string | null): SslMode {
  const mode = text === null ? 'prefer' : SSL_MODES.find(one => one === text);
  if (mode === undefined) throw new Failure('usage', `--store: sslmode is one of ${SSL_MODES.join(', ')}`);
  return mode;
}
