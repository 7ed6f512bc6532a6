/**
 * A notice as an OTLP log record in JSON, for `/v1/logs` of a collector. Written by hand: 64-bit numbers are strings,
 * names are in lowerCamelCase.
 *
 *     resourceLogs[]: { resource: { attributes }, scopeLogs[]: { scope, logRecords[]: { timeUnixNano, body, ... } } }
 */
import { nodeName } from '../../../evidence/target.ts';
import type { Notice } from '../../../store/notification.ts';
import type { Answer } from '../../../live/reply.ts';
import { recordOf, parseJsonBytes } from '../../../base/json.ts';
import { oneLine } from '../../../base/text-layout.ts';

/** SeverityNumber: 9 INFO, 13 WARN, 17 ERROR. */
const SEVERITIES = { info: 9, warn: 13, error: 17 } as const;
const MAX_ANSWER_BYTES = 64 * 1024;

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
export function otlpRejection({ body }: Answer): string | undefined {
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
