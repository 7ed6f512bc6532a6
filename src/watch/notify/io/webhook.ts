/**
 * Posts notices to any HTTP server: as they are, as CloudEvents 1.0 in structured mode, as OTLP logs to a collector, or
 * as annotations to Grafana. With a secret they are
 * signed as Standard Webhooks are, for which there are libraries in most languages:
 *
 *     webhook-id: i-20261115-1957-proved
 *     webhook-timestamp: 1794772800
 *     webhook-signature: v1,BASE64(HMAC-SHA256(secret, "ID.TIMESTAMP.BODY"))
 */
import { createHash, createHmac } from 'node:crypto';
import type { Notice } from '../../../store/notification.ts';
import type { CredentialFiles } from '../../../live/credential-files.ts';
import { deliveryOf } from '../../../live/delivery.ts';
import type { NoticeDestination } from '../destination.ts';
import type { SendRequest } from '../../../live/request-sender.ts';
import { grafanaAnnotation } from './grafana-annotation.ts';
import { otlpLogs, otlpRejection } from './otlp-log.ts';

export const WEBHOOK_FORMATS = ['json', 'cloudevents', 'otlp-logs', 'grafana'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export interface WebhookOptions {
  readonly url: string;
  readonly format: WebhookFormat;
  /** '' for none, as for all below. */
  readonly secretFile: string;
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
}

const DEADLINE_SECONDS = 10;
const MAX_BYTES = 64 * 1024;

export function openWebhook(
  options: WebhookOptions,
  send: SendRequest,
  files: CredentialFiles,
  nowSeconds: () => number,
): NoticeDestination {
  const { url, format, secretFile, tokenFile, certificateAuthority } = options;
  const base = new URL(url);
  const { search } = base;
  base.search = '';
  base.hash = '';
  const path = base.pathname;
  base.pathname = '';
  return {
    // Addresses of webhooks often hold a secret: only a hash of path and query is shown.
    name: `${base.host} ${createHash('sha256').update(url).digest('hex').slice(0, 6)}`,
    kind: format === 'json' ? 'webhook' : format,
    async deliver(notice, signal) {
      const json = bodyOf(notice, format, nowSeconds());
      const headers: Record<string, string> = {
        'webhook-id': notice.id,
        'content-type': format === 'cloudevents' ? 'application/cloudevents+json; charset=utf-8' : 'application/json',
      };
      const credentials = async () => {
        if (tokenFile !== '') headers['authorization'] = `Bearer ${await files.readToken(tokenFile)}`;
        if (secretFile !== '') {
          const timestamp = String(Math.floor(nowSeconds()));
          headers['webhook-timestamp'] = timestamp;
          const secret = await files.readPassword(secretFile);
          headers['webhook-signature'] = signature(secret, notice.id, timestamp, JSON.stringify(json));
        }
        const ca = certificateAuthority === '' ? {} : { ca: await files.readBytes(certificateAuthority) };
        return { headers, ...ca };
      };
      const endpoint = { base, tls: { insecure: options.insecure }, credentials };
      const limits = { deadlineSeconds: DEADLINE_SECONDS, maxBytes: MAX_BYTES, signal };
      const reply = await send(endpoint, { method: 'POST', path: path + search, json }, limits);
      const delivery = deliveryOf(reply);
      if (format !== 'otlp-logs' || delivery.kind !== 'delivered' || reply.kind !== 'answer') return delivery;
      const why = otlpRejection(reply);
      return why === undefined ? delivery : { kind: 'refused', why };
    },
  };
}

function bodyOf(notice: Notice, format: WebhookFormat, nowSeconds: number): object {
  if (format === 'cloudevents') return cloudEvent(notice);
  if (format === 'otlp-logs') return otlpLogs(notice, nowSeconds);
  return format === 'grafana' ? grafanaAnnotation(notice) : notice;
}

export function signature(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

export function cloudEvent(notice: Notice): object {
  const { id, kind, at, cluster, incident } = notice;
  return {
    specversion: '1.0',
    id,
    source: `oakum/${encodeURIComponent(cluster)}`,
    type: `dev.oakum.incident.${kind}.v1`,
    subject: incident.target,
    time: new Date(at * 1000).toISOString(),
    datacontenttype: 'application/json',
    data: notice,
  };
}
