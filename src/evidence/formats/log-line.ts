/**
 * One line of a node's log, with what journald, syslog, dmesg, a container runtime or klog put before the message taken
 * apart.
 *
 *     Nov 15 07:12:25 worker-17 kernel: [12345.678901] oom-kill:constraint=...
 *     |- stamp ------|- host --|writer|               |- message
 */
import { decodeText, encodeText } from '../../base/text.ts';
import { cri, journald, klog, rfc3339, type Prefix } from '../../profile/formats/log-prefixes.ts';
import { type LogStamp, NO_STAMP, parseStamp } from './log-stamp.ts';
import { parseJson, recordOf, textOf } from '../../base/json.ts';

export interface LogLine {
  readonly stamp: LogStamp;
  /** '' if the line does not say. */
  readonly host: string;
  /** `kernel`, `systemd`, `kubelet`; '' if the line does not say. */
  readonly writer: string;
  readonly message: string;
}

/** Reads the line bytes[at, end). */
export function parseLogLine(bytes: Uint8Array, at: number, end: number): LogLine {
  const journal = journald(bytes, at, end);
  if (journal !== undefined && !isRing(bytes, at, journal)) return fromJournal(bytes, at, end, journal);
  const container = cri(bytes, at, end);
  if (container !== undefined) {
    const stamp = parseStamp(decodeText(bytes, at, container.writerStart).trim());
    return withoutKlog(bytes, container.payload, end, { stamp, host: '', writer: '' });
  }
  const iso = rfc3339(bytes, at, end);
  if (iso !== undefined) {
    const stamp = parseStamp(decodeText(bytes, at, iso.payload).trim());
    return withoutKlog(bytes, iso.payload, end, { stamp, host: '', writer: '' });
  }
  const plain = withoutKlog(bytes, at, end, { stamp: NO_STAMP, host: '', writer: '' });
  return plain.stamp.kind === 'none' ? fromRing(plain.message) : plain;
}

/** `[1.000000] rtc_cmos 00:00: setting` looks like `[1.000000] host writer: setting`: a writer has a pid. */
function isRing(bytes: Uint8Array, at: number, { writerEnd }: Prefix): boolean {
  return bytes[at] === 0x5b && !/(?:\]| kernel):$/.test(decodeText(bytes, Math.max(at, writerEnd - 8), writerEnd));
}

function fromJournal(bytes: Uint8Array, at: number, end: number, prefix: Prefix): LogLine {
  const stamp = decodeText(bytes, at, prefix.writerStart);
  const [host = '', unit = ''] = decodeText(bytes, prefix.writerStart, prefix.writerEnd).trim().split(' ');
  const writer = unit.replace(/(?:\[\d+\])?:$/, '');
  const line = withoutKlog(bytes, prefix.payload, end, {
    stamp: parseStamp(stamp.replace(/^\[|\]$/g, '')),
    host,
    writer,
  });
  // syslog keeps the kernel's own stamp behind its own.
  return writer === 'kernel' ? { ...line, message: fromRing(line.message).message } : line;
}

function withoutKlog(bytes: Uint8Array, at: number, end: number, line: Omit<LogLine, 'message'>): LogLine {
  const inner = klog(bytes, at, end);
  const message = decodeText(bytes, inner?.payload ?? at, end).trimEnd();
  if (inner === undefined || line.stamp.kind !== 'none') return { ...line, message };
  return { ...line, stamp: parseStamp(decodeText(bytes, at, inner.payload)), message };
}

const RECORD = /^\d{1,4},\d+,(\d{1,16}),[^;]{0,100};/;
const LEVEL = /^(?:<\d{1,3}>|[a-z]+ *:[a-z]+ *: ?)/;

/** dmesg, with and without -T and -x, and the records of /dev/kmsg. */
function fromRing(text: string): LogLine {
  const record = RECORD.exec(text);
  if (record !== null) {
    const stamp: LogStamp = { kind: 'since-boot', seconds: Number(record[1]) / 1e6 };
    return { stamp, host: '', writer: 'kernel', message: text.slice(record[0].length) };
  }
  const message = text.replace(LEVEL, '');
  const close = message.startsWith('[') ? message.indexOf(']') : -1;
  const stamp = close > 0 && close < 40 ? parseStamp(message.slice(1, close)) : NO_STAMP;
  if (stamp.kind === 'none') return { stamp, host: '', writer: '', message: text };
  return { stamp, host: '', writer: 'kernel', message: message.slice(close + 1).trimStart() };
}

/**
 * Lines that are JSON: `journalctl -o json` and Docker's json-file.
 *
 *     {"__REALTIME_TIMESTAMP":"1794726745123456","_HOSTNAME":"worker-17","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"..."}
 *     {"log":"fatal error: ...\n","stream":"stderr","time":"2026-11-15T07:12:25.123456789Z"}
 */
interface LogEntry extends LogLine {
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
