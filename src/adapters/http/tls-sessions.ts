/**
 * What later TLS connections to a server reuse of earlier ones: certificates that are parsed already, and the session,
 * which spares both sides most of the handshake. With a sample of every kubelet each minute, handshakes would take more
 * time than everything else together; connections that stay open would take more memory.
 *
 * A session is resumed only with the same server, name, authorities and client certificate, since the certificate of the
 * server is not checked again.
 */
import { createHash } from 'node:crypto';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Credentials, Endpoint } from '../../ports/request-sender.ts';

/** Some 2 KB each; the oldest is dropped. */
const MOST_SESSIONS = 20_000;
/** Those of a few clusters; a rotated certificate makes a new one. */
const MOST_CONTEXTS = 64;

export interface TlsConnection {
  readonly options: Readonly<Record<string, unknown>>;
  /** Takes in what the server gives for the next connection. */
  readonly follow: (socket: TLSSocket) => void;
}

export class TlsSessions {
  readonly #contexts = new Map<string, SecureContext>();
  readonly #sessions = new Map<string, Buffer>();

  /** Throws if a certificate or key cannot be read. */
  connect({ base, tls }: Endpoint, credentials: Credentials): TlsConnection {
    const host = base.hostname.replace(/^\[|\]$/g, '');
    // TLS knows no addresses as server names, but the certificate is still checked against the address.
    const servername = tls.serverName ?? (/^[\d.]+$|:/.test(host) ? '' : host);
    const print = printOf(credentials);
    const key = [base.host, servername, tls.insecure === true ? 'unchecked' : 'checked', print].join('\n');
    const session = this.#sessions.get(key);
    return {
      options: {
        rejectUnauthorized: tls.insecure !== true,
        secureContext: this.#contextOf(print, credentials),
        servername,
        ...(session === undefined ? {} : { session }),
      },
      follow: socket => socket.on('session', given => keep(this.#sessions, key, given, MOST_SESSIONS)),
    };
  }

  #contextOf(print: string, { ca, cert, key }: Credentials): SecureContext {
    const known = this.#contexts.get(print);
    if (known !== undefined) return known;
    const text = (pem: string | Uint8Array): string | Buffer => (typeof pem === 'string' ? pem : Buffer.from(pem));
    const context = createSecureContext({
      ...(ca === undefined ? {} : { ca: text(ca) }),
      ...(cert === undefined ? {} : { cert: text(cert) }),
      ...(key === undefined ? {} : { key: text(key) }),
    });
    keep(this.#contexts, print, context, MOST_CONTEXTS);
    return context;
  }
}

function printOf({ ca, cert, key }: Credentials): string {
  const hash = createHash('sha256');
  for (const part of [ca, cert, key]) hash.update(`${part?.length ?? '-'}\n`).update(part ?? '');
  return hash.digest('base64');
}

/** The newest last. */
function keep<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
