/**
 * What came back from a request. Every outcome is a value:
 *
 *     answer      the target, or something in front of it, answered with some status; `cut` when the body is incomplete
 *     otherwise   nothing answered, and `kind` says at which step the request failed
 */

/** What answers first on the way to the target. */
export type Via = 'api-server-proxy' | 'api-server' | 'kubelet' | 'http' | 'unix';

export type Reply = Answer | NoAnswer;

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Why the body is not whole; undefined when it is. */
  readonly cut: Cut | undefined;
  /** Our clock when the head of the answer came. */
  readonly headAtSeconds: number;
  /** From the Date header: the clock of who answered. */
  readonly dateSeconds: number | undefined;
  readonly tookSeconds: number;
}

export interface Cut {
  readonly why: 'deadline' | 'too-large' | 'connection' | 'stopped';
  readonly message: string;
}

export type NoAnswerKind =
  | 'credentials' // the kubeconfig's plugin or files gave none
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'socket' // a unix socket that is not there, or not ours to open
  | 'proxy' // HTTPS_PROXY or the kubeconfig's proxy-url
  | 'tls'
  | 'reset' // closed before an answer
  | 'not-http'
  | 'timeout'
  | 'stopped' // by the caller's signal
  | 'other';

export type TlsProblem =
  'unknown-ca' | 'expired' | 'not-yet-valid' | 'wrong-name' | 'plain-http' | 'client-certificate';

export interface NoAnswer {
  readonly kind: NoAnswerKind;
  readonly message: string;
  /** What exactly, where kind is `tls` and it is known. */
  readonly tls: TlsProblem | undefined;
  readonly tookSeconds: number;
}
