/**
 * What later TLS connections to a server reuse of earlier ones: certificates that are parsed already, and the session,
 * which spares both sides most of the handshake. With a sample of every kubelet each minute, handshakes would take more
 * time than everything else together.
 *
 *     through the API server   one server for thousands of samples: the connection itself is used again
 *     to kubelets directly     one server for each: until the next sample, an open connection would only take memory
 *
 * So connections stay open for a second. Connections and sessions are used again only with the same server, name,
 * authorities and client certificate, since the certificate of the server is not checked again.
 */
import { createHash } from 'node:crypto';
import { Agent } from 'node:https';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Credentials, Endpoint } from '../ports.ts';

/** Some 2 KB each; the oldest is dropped. */
const MAX_SESSIONS = 20_000;
/** Those of a few clusters; a rotated certificate makes a new one. */
const MAX_CONTEXTS = 64;
/**
 * More than passes between two samples through a server that needs it, and less than any server waits for the next
 * request. An open connection takes 140 KB.
 */
const IDLE_MILLISECONDS = 1000;

export interface TlsConnection {
  readonly options: Readonly<Record<string, unknown>>;
  /** Keeps connections open, for requests that may use them. */
  readonly agent: Agent;
  /** Takes in what the server gives for the next connection. */
  readonly follow: (socket: TLSSocket) => void;
}

interface Identity {
  readonly context: SecureContext;
  readonly agent: Agent;
}

export class TlsSessions {
  readonly #idleMilliseconds: number;
  readonly #identities = new Map<string, Identity>();
  readonly #sessions = new Map<string, Buffer>();

  constructor(idleMilliseconds: number = IDLE_MILLISECONDS) {
    this.#idleMilliseconds = idleMilliseconds;
  }

  /** Throws if a certificate or key cannot be read. */
  connect({ base, tls }: Endpoint, credentials: Credentials): TlsConnection {
    const host = base.hostname.replace(/^\[|\]$/g, '');
    // TLS knows no addresses as server names, but the certificate is still checked against the address.
    const servername = tls.serverName ?? (/^[\d.]+$|:/.test(host) ? '' : host);
    const print = printOf(credentials);
    const key = [base.host, servername, tls.insecure === true ? 'unchecked' : 'checked', print].join('\n');
    const session = this.#sessions.get(key);
    const { context, agent } = this.#identityOf(print, credentials);
    return {
      agent,
      options: {
        rejectUnauthorized: tls.insecure !== true,
        secureContext: context,
        servername,
        ...(session === undefined ? {} : { session }),
      },
      follow: socket => socket.on('session', given => keep(this.#sessions, key, given, MAX_SESSIONS)),
    };
  }

  #identityOf(print: string, { ca, cert, key }: Credentials): Identity {
    const known = this.#identities.get(print);
    if (known !== undefined) return known;
    const text = (pem: string | Uint8Array): string | Buffer => (typeof pem === 'string' ? pem : Buffer.from(pem));
    const context = createSecureContext({
      ...(ca === undefined ? {} : { ca: text(ca) }),
      ...(cert === undefined ? {} : { cert: text(cert) }),
      ...(key === undefined ? {} : { key: text(key) }),
    });
    const agent = new Agent({ keepAlive: true, timeout: this.#idleMilliseconds, maxCachedSessions: 0 });
    const identity = { context, agent };
    keep(this.#identities, print, identity, MAX_CONTEXTS);
    return identity;
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
