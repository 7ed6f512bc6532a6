/** What an HTTP answer means for a delivery: 2xx took it, 4xx never will, everything else may later. */
import { decodeText } from '../base/text.ts';
import { oneLine } from '../base/text-layout.ts';
import type { Reply } from './reply.ts';

/** Client errors that pass. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);
const MAX_SHOWN = 200;

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
