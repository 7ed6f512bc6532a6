/** Sends one HTTP request to a server that somebody else describes: the API server, a kubelet, a Prometheus, a daemon. */
import { Failure } from '../base/failure.ts';
import type { NoAnswerKind, Reply } from './reply.ts';
import type { RequestLimits } from './target-connection.ts';

export type SendRequest = (endpoint: Endpoint, request: OutgoingRequest, limits: RequestLimits) => Promise<Reply>;

export interface Endpoint {
  /** Its path precedes the path of every request. */
  readonly base: URL;
  readonly socketPath?: string;
  /** Overrides the proxy of the environment. A SOCKS proxy comes as the credentials' agent instead. */
  readonly proxyUrl?: string;
  readonly tls: TlsSettings;
  /** Default: oakum. */
  readonly userAgent?: string;
  /**
   * Called before each request, because tokens expire. Throws a RequestError if there are none, and soon after the
   * signal aborts.
   */
  readonly credentials?: (signal: AbortSignal) => Promise<Credentials>;
}

export interface TlsSettings {
  readonly serverName?: string;
  /** Accepts any certificate. */
  readonly insecure?: boolean;
}

export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
  /** Trusted instead of the system's authorities; also for requests without credentials. */
  readonly ca?: string | Uint8Array;
  /** An agent of node:http, for proxies that need more than a tunnel. */
  readonly agent?: object;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; begins with a slash. */
  readonly path: string;
  readonly json?: unknown;
  /** Instead of JSON. */
  readonly bytes?: Uint8Array;
  /** The type of the body: patches have types of their own. */
  readonly contentType?: string;
}

/** Why a request was never sent. */
export class RequestError extends Failure {
  readonly kind: NoAnswerKind;

  constructor(kind: NoAnswerKind, message: string) {
    super('no-answer', message);
    this.kind = kind;
  }
}
