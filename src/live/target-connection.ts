/** A process that answers over HTTP. Every outcome of a request is a value, see model/reply.ts. */
import type { Reply, Via } from './reply.ts';

export interface TargetConnection {
  /** As the user named it: `node/worker-17`. */
  readonly target: string;
  /** What answers first on the way. */
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
  /** That of the context, or of `-n`. */
  readonly namespace: string;
  get(path: string, options: RequestLimits): Promise<Reply>;
  post(path: string, body: unknown, options: RequestLimits): Promise<Reply>;
}

export interface RequestLimits {
  /** From opening the connection to the last byte. */
  readonly deadlineSeconds: number;
  /** How much of the body to read; the rest is not read. */
  readonly maxBytes: number;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Sends no credentials, to see what anybody may see. */
  readonly withoutCredentials?: boolean;
  /** For a GET that comes again and again: a TLS connection that another such request left open is used. */
  readonly mayReuse?: boolean;
  /** Receives the body of a 2xx answer as it arrives; the answer then has none. */
  readonly onBody?: (chunk: Uint8Array) => void;
}
