/**
 * Lines that are JSON: `journalctl -o json` and Docker's json-file.
 *
 *     {"__REALTIME_TIMESTAMP":"1794726745123456","_HOSTNAME":"worker-17","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"..."}
 *     {"log":"fatal error: ...\n","stream":"stderr","time":"2026-11-15T07:12:25.123456789Z"}
 */
import { parseJson, recordOf, textOf } from '../../../base/json.ts';
import { decodeText, encodeText } from '../../../base/text.ts';
import { klog } from '../../../profile/formats/log-prefixes.ts';
import type { LogLine } from './log-line.ts';
import { type LogStamp, NO_STAMP, parseStamp } from './stamp.ts';

export interface LogEntry extends LogLine {
  /** '' if the entry does not say. */
  readonly bootId: string;
}

/** Undefined when it is not JSON, or JSON of another kind. */
export function parseLogEntry(text: string): LogEntry | undefined {
  const fields = recordOf(parseJson(text));
  const { MESSAGE: message, log, time } = fields;
  if (typeof log === 'string') {
    const stamp = typeof time === 'string' ? parseStamp(time) : NO_STAMP;
    return { stamp, host: '', writer: '', message: payload(log), bootId: '' };
  }
  const bytes = messageText(message);
  if (bytes === undefined) return undefined;
  return {
    stamp: realTime(fields['__REALTIME_TIMESTAMP']),
    host: textOf(fields['_HOSTNAME']),
    writer: textOf(fields['SYSLOG_IDENTIFIER']) || textOf(fields['_COMM']),
    message: payload(bytes),
    bootId: textOf(fields['_BOOT_ID']),
  };
}

/** journald writes what is not UTF-8 as a list of bytes. */
function messageText(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (!isNumbers(message)) return undefined;
  return decodeText(Uint8Array.from(message));
}

function realTime(value: unknown): LogStamp {
  const micros = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  return micros > 0 && micros < 1e17 ? { kind: 'instant', seconds: micros / 1e6 } : NO_STAMP;
}

function payload(text: string): string {
  const bytes = encodeText(text.trimEnd());
  const inner = klog(bytes, 0, bytes.length);
  return inner === undefined ? text.trimEnd() : decodeText(bytes, inner.payload);
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(item => typeof item === 'number');
}
