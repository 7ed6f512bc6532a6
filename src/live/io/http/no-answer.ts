/** From an error of Node to the step at which a request failed. */
import type { NoAnswer, NoAnswerKind, TlsProblem } from '../../reply.ts';
import { RequestError } from '../../request-sender.ts';

const KINDS: Readonly<Record<string, NoAnswerKind>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ENOENT: 'socket',
  EACCES: 'socket',
  ENOTSOCK: 'socket',
};

const TLS: Readonly<Record<string, TlsProblem>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknown-ca',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-ca',
  CERT_SIGNATURE_FAILURE: 'unknown-ca',
  CERT_UNTRUSTED: 'unknown-ca',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong-name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'plain-http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'plain-http',
};

export function noAnswer(error: unknown, tookSeconds: number): NoAnswer {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const said = message === '' ? code : message;
  if (error instanceof RequestError) return { kind: error.kind, message: said, tls: undefined, tookSeconds };
  // Errors of a SOCKS agent have no code.
  if ((error as Error).constructor.name === 'SocksClientError') {
    return { kind: 'proxy', message: `the SOCKS proxy did not connect: ${said}`, tls: undefined, tookSeconds };
  }
  const tls = TLS[code] ?? tlsByMessage(said);
  if (tls !== undefined || /^ERR_(?:SSL|TLS)_/.test(code) || code === 'EPROTO') {
    return { kind: 'tls', message: said, tls, tookSeconds };
  }
  const kind = code.startsWith('HPE_') ? 'not-http' : (KINDS[code] ?? 'other');
  return { kind, message: said, tls: undefined, tookSeconds };
}

function tlsByMessage(message: string): TlsProblem | undefined {
  if (/wrong version number|packet length too long/i.test(message)) return 'plain-http';
  return /alert (?:number \d+.*)?(?:bad certificate|certificate (?:required|unknown|expired|revoked))|tlsv13 alert certificate required/i.test(
    message,
  )
    ? 'client-certificate'
    : undefined;
}
