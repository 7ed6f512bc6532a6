/** Why the database refused, in words, with what to do. */

interface DatabaseError {
  /** A SQLSTATE, or the code of a system error. */
  readonly code?: string;
  readonly message: string;
  /** Of a certificate for another host: which. */
  readonly reason?: string;
}

const NOT_THERE = 'the server does not answer; check that it runs and can be reached from here';
const GONE = 'the connection was lost; check that the server runs';
const SHUT_DOWN = 'the server is shutting down or starting; it is tried again';
const READ_ONLY = 'the database is read-only; connect to the primary';

const UNKNOWN_SIGNER =
  'its certificate is not signed by an authority that is known here; give the certificate of its authority as sslrootcert';
const CLIENT_CERTIFICATE = 'the server does not accept the certificate of the client; check sslcert and its authority';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address; check that the server runs, and its host and port',
  ENOENT: 'there is no server at that socket; check that it runs, and the folder of the socket',
  ENOTFOUND: 'there is no such host; check its name',
  EAI_AGAIN: 'the name of the host cannot be looked up now; it is tried again',
  EHOSTUNREACH: NOT_THERE,
  ENETUNREACH: NOT_THERE,
  ETIMEDOUT: NOT_THERE,
  ECONNRESET: GONE,
  EPIPE: GONE,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it on the server',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clocks of both machines',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_SIGNER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_SIGNER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_SIGNER,
  CERT_SIGNATURE_FAILURE: UNKNOWN_SIGNER,
  '25006': READ_ONLY,
  '28000': 'the server does not let this user in from here; check pg_hba.conf and sslmode',
  '28P01': 'the password is wrong; check PGPASSWORD, ~/.pgpass or the store file',
  '3D000': 'there is no such database; create it, or correct the name',
  '3F000': 'the schema is gone; create it, or start anew',
  '40001': 'other writers were in the way; it is tried again',
  '40P01': 'other writers were in the way; it is tried again',
  '42501': 'the user lacks a right; grant it CREATE on the database, or ownership of the schema',
  '42P01': 'a table is gone; restore the database from a backup',
  '53100': 'the disk of the server is full; free some space there',
  '53200': 'the server is out of memory; it is tried again',
  '53300': 'the server has too many connections; raise max_connections, or close others',
  '55P03': 'a lock was not released in time; it is tried again',
  '57014': 'a statement took too long and was stopped; the server may be overloaded',
  '57P01': SHUT_DOWN,
  '57P02': SHUT_DOWN,
  '57P03': SHUT_DOWN,
};

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/connection timeout|timeout expired|timeout exceeded|Query read timeout/i, NOT_THERE],
  [/Connection terminated|not queryable|Client was closed/i, GONE],
  [
    /does not support SSL/i,
    'the server does not support TLS; turn it on there, or say sslmode=disable if that is right',
  ],
  [/alert certificate expired/i, 'the certificate of the client has expired; renew sslcert'],
  [/alert (unknown ca|bad certificate|certificate)/i, CLIENT_CERTIFICATE],
  [/certificate|self.signed/i, 'its certificate is not trusted; check sslrootcert'],
  [/password must be a string|no password/i, 'it wants a password; set PGPASSWORD, or write it into ~/.pgpass'],
];

/** More precise than their code. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /requires a valid client certificate/,
    'the server wants a certificate of the client; give it as sslcert and sslkey',
  ],
  [
    /certificate authentication failed/,
    'the certificate of the client is not for this user; check sslcert and the user',
  ],
  [/no encryption|SSL off/, 'the server lets this user in only with TLS; say sslmode=require, or change pg_hba.conf'],
];

export function databaseTrouble(error: unknown): string {
  const { code = '', message, reason } = rootOf(error);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another host (${reason ?? message}); connect by a name that it has, or say sslmode=verify-ca`;
  const phrase = (phrases: typeof PHRASES): string | undefined => phrases.find(([one]) => one.test(message))?.[1];
  const refusal = code === '28000' ? phrase(REFUSALS) : undefined;
  return refusal ?? REASONS[code] ?? phrase(PHRASES) ?? message;
}

/** Nobody answered: the message says why, in words. */
class Unreachable extends Error {}

/** An answer stays as it is, with its code. */
export function inWords(error: unknown): unknown {
  return isAnswer(error) ? error : new Unreachable(databaseTrouble(error), { cause: error });
}

/** Connecting to a name with several addresses fails with all of their errors. */
function rootOf(error: unknown): DatabaseError {
  if (error instanceof Unreachable) return rootOf(error.cause);
  const [first] = error instanceof AggregateError ? (error.errors as DatabaseError[]) : [];
  return first ?? (error as DatabaseError);
}

/** It would be the same tomorrow: the request is at fault, not the database. */
export function isOurFault(error: unknown): boolean {
  const { code = '' } = rootOf(error);
  return /^(22|23|42)/.test(code) && code !== '42501' && code !== '42P01';
}

/** The same may succeed at once. */
export function isPassing(error: unknown): boolean {
  return ['40001', '40P01'].includes(rootOf(error).code ?? '');
}

export function hasCode(error: unknown, code: string): boolean {
  return rootOf(error).code === code;
}

/** The server has no TLS. */
export function isWithoutTls(error: unknown): boolean {
  return /does not support SSL/.test(rootOf(error).message);
}

/** Nothing came back in time. */
export function isSilence(error: unknown): boolean {
  return /Query read timeout/.test(rootOf(error).message);
}

/** The server said no, and did nothing: a commit that ends so is not in doubt. */
export function isAnswer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(rootOf(error).code ?? '') && 'severity' in (error as object);
}
