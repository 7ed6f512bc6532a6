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
import type { Notice } from '../../store/notification.ts';
import type { NoticeDestination } from '../notify/destination.ts';
import { nodeName } from '../../evidence/target.ts';
import { type Answer, deliveryOf } from '../../live/reply.ts';
import { recordOf, parseJsonBytes } from '../../base/json.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { SendRequest, CredentialFiles } from '../../live/ports.ts';

/**
 * A notice as an OTLP log record in JSON, for `/v1/logs` of a collector. Written by hand: 64-bit numbers are strings,
 * names are in lowerCamelCase.
 *
 *     resourceLogs[]: { resource: { attributes }, scopeLogs[]: { scope, logRecords[]: { timeUnixNano, body, ... } } }
 *
 * SeverityNumber: 9 INFO, 13 WARN, 17 ERROR.
 */
const SEVERITIES = { info: 9, warn: 13, error: 17 } as const;

const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * A notice as an annotation of Grafana (`POST /api/annotations`): a mark on every dashboard that shows annotations with
 * the tag `oakum`. The one of the end is a region, from the beginning of the incident to its end.
 */
const WORDS = { opened: 'opened', proved: 'proved', folded: 'part of a cohort', cleared: 'cleared' } as const;

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

function signature(secret: string, id: string, timestamp: string, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function cloudEvent(notice: Notice): object {
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

export function grafanaAnnotation({ kind, at, cluster, incident }: Notice): object {
  const { id, target, resource, openedAt, summary, cause, url } = incident;
  const isRegion = kind === 'cleared' || kind === 'folded';
  const lines = [`${target}: ${resource} ${WORDS[kind]}`, summary, ...(cause === null ? [] : [cause])].map(escaped);
  return {
    time: milliseconds(isRegion ? openedAt : at),
    ...(isRegion ? { timeEnd: milliseconds(at) } : {}),
    tags: ['oakum', `oakum:${kind}`, `cluster:${cluster}`, `target:${target}`, `resource:${resource}`],
    text: [...lines, ...(url === null ? [] : [`<a href="${escaped(url)}">${escaped(id)}</a>`])].join('\n'),
  };
}

/** The text of an annotation is HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

export function otlpLogs(notice: Notice, nowSeconds: number): object {
  const { id, kind, at, cluster, incident } = notice;
  const level = kind === 'cleared' || kind === 'folded' ? 'info' : incident.verdict === 'leak' ? 'error' : 'warn';
  const node = nodeName(incident.target);
  const record = {
    timeUnixNano: nanoseconds(at),
    observedTimeUnixNano: nanoseconds(nowSeconds),
    severityNumber: SEVERITIES[level],
    severityText: level.toUpperCase(),
    eventName: `oakum.incident.${kind}`,
    body: { stringValue: incident.summary },
    attributes: attributes({
      'oakum.notice.id': id,
      'oakum.incident.id': incident.id,
      'oakum.incident.kind': kind,
      'oakum.target': incident.target,
      'oakum.resource': incident.resource,
      'oakum.verdict': incident.verdict,
      'oakum.cause': incident.cause,
      'oakum.slope_per_hour': incident.slopePerHour,
      'k8s.node.name': node ?? null,
      'url.full': incident.url,
    }),
  };
  return {
    resourceLogs: [
      {
        resource: { attributes: attributes({ 'service.name': 'oakum', 'k8s.cluster.name': cluster }) },
        scopeLogs: [{ scope: { name: 'oakum.watch' }, logRecords: [record] }],
      },
    ],
  };
}

/** A collector that takes the request may still reject the record, and then says so; undefined if it did not. */
function otlpRejection({ body }: Answer): string | undefined {
  const partial = recordOf(recordOf(parseJsonBytes(body, MAX_ANSWER_BYTES))['partialSuccess']);
  const { rejectedLogRecords = 0, errorMessage = '' } = partial;
  if (!(Number(rejectedLogRecords) > 0)) return undefined;
  return `it rejected the record${errorMessage === '' ? '' : `: ${oneLine(String(errorMessage))}`}`;
}

function nanoseconds(seconds: number): string {
  return `${Math.round(seconds * 1000)}000000`;
}

function attributes(values: Readonly<Record<string, string | number | null>>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value } }],
  );
}
