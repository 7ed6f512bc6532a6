/**
 * The outcome of a request. Every outcome is a value:
 *
 *     answer      the target, or something in front of it, answered with some status; `cut` if the body is incomplete
 *     otherwise   nothing answered, and `kind` says at which step the request failed
 */

import { type JsonRecord, parseJsonBytes, recordOf } from '../base/json.ts';
import { decodeText } from '../base/text.ts';
import { oneLine } from '../base/text-layout.ts';

/** What answers first on the way to the target. */
export type Via = 'api-server-proxy' | 'api-server' | 'kubelet' | 'http' | 'unix';

export type Reply = Answer | NoAnswer;

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** How much of it was passed on as it arrived, and is not in `body`. */
  readonly streamedBytes?: number;
  /** Why the body is incomplete; undefined if it is complete. */
  readonly cut: Cut | undefined;
  /** Our clock when the headers arrived. */
  readonly headAtSeconds: number;
  /** The Date header: the clock of the server that answered. */
  readonly dateSeconds: number | undefined;
  readonly tookSeconds: number;
}

export interface Cut {
  readonly why: 'deadline' | 'too-large' | 'connection' | 'stopped';
  readonly message: string;
}

export type NoAnswerKind =
  | 'credentials' // the kubeconfig's plugin or files returned none
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'socket' // a unix socket that does not exist, or that we may not open
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
  /** The exact problem, if kind is `tls` and it is known. */
  readonly tls: TlsProblem | undefined;
  readonly tookSeconds: number;
  /** If kind is `timeout`: a connection was open, and the request was written to it. */
  readonly wasSent?: boolean;
}

/**
 * The JSON object of a successful answer. Empty if the answer is cut, too large or not JSON, and for every other reply.
 */
export function replyJson(reply: Reply, maxBytes: number): JsonRecord {
  const isWhole = reply.kind === 'answer' && reply.status >= 200 && reply.status < 300 && reply.cut === undefined;
  return isWhole ? recordOf(parseJsonBytes(reply.body, maxBytes)) : {};
}

/** Client errors that pass. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);
const MAX_SHOWN = 200;

/** What an HTTP answer means for a delivery: 2xx took it, 4xx never will, everything else may later. */
export function deliveryOf(reply: Reply): Delivery {
  if (reply.kind !== 'answer') return { kind: 'failed', why: oneLine(reply.message) };
  const { status, headers, body } = reply;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const said = oneLine(decodeText(body.subarray(0, MAX_SHOWN))).trim();
  const why = `it answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { kind: 'refused', why };
  const seconds = Number(headers['retry-after'] ?? NaN);
  return { kind: 'failed', why, retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined };
}

export type Delivery =
  | { readonly kind: 'delivered' }
  /** It may work later. */
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterSeconds?: number | undefined }
  /** It never will. */
  | { readonly kind: 'refused'; readonly why: string };
