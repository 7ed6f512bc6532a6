/**
 * One process to ask over HTTP, as the engine sees it. Whatever may happen on the way is a value:
 *
 *     answer      the target or somebody before it answered, with any status; `cut` when the body is not whole
 *     otherwise   nobody did, and `kind` says at which step it failed
 */
export interface TargetConnection {
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  /** Who answers first. */
  readonly via: Via;
  /** `https://10.0.0.1:6443`, for messages. */
  readonly address: string;
  get(path: string, options: RequestLimits): Promise<Reply>;
}

/** An API server. */
export interface ClusterConnection {
  /** The kubeconfig's context; `in-cluster` inside a pod. */
  readonly context: string;
  readonly address: string;
  /** Of the context, or of `-n`. */
  readonly namespace: string;
  get(path: string, options: RequestLimits): Promise<Reply>;
  post(path: string, body: unknown, options: RequestLimits): Promise<Reply>;
}

export type Via = 'api-server-proxy' | 'api-server' | 'kubelet' | 'http' | 'unix';

export interface RequestLimits {
  /** From the first step to the last byte. */
  readonly deadlineSeconds: number;
  /** Of the body; what comes beyond is not read. */
  readonly maxBytes: number;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Asks as nobody, to see what everybody may see. */
  readonly withoutCredentials?: boolean;
}

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
