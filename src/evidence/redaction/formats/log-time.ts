/**
 * Keeps the time that a log gave a dump, and its host, hidden: without the one growth between dumps has no rate, and
 * without the other dumps of two nodes would be one process.
 */
import { concatBytes, decodeText, encodeText } from '../../../base/text.ts';
import { isHidden } from '../redactor.ts';
import { isSampleTime } from '../../../base/say.ts';

const NEWLINE = 10;
const PREFIX = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (?:stderr F|(\S+) stderr:) /;
const MAX_BYTES = '2026-11-16T06:05:00.000Z redacted-kqzjxabcdef stderr: '.length;

/**
 * Every line as a container runtime or journald logs it; `host` is hidden, or '':
 *
 *     2026-11-16T06:05:00.000Z stderr F goroutine 1 [select]:
 *     2026-11-16T06:05:00.000Z redacted-kqzjxabcdef stderr: goroutine 1 [select]:
 */
export function withLogTime(text: Uint8Array, atSeconds: number, host: string): Uint8Array {
  const writer = host === '' ? 'stderr F' : `${host} stderr:`;
  const prefix = encodeText(`${new Date(atSeconds * 1000).toISOString()} ${writer} `);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf(NEWLINE, at);
    const end = newline < 0 ? text.length : newline + 1;
    parts.push(prefix, text.subarray(at, end));
    at = end;
  }
  return concatBytes(parts);
}

/** Whether every line has such a prefix; others may name a host. */
export function hasOnlyLogTimes(text: Uint8Array): boolean {
  for (let at = 0; at < text.length;) {
    const [prefix, host] = PREFIX.exec(decodeText(text, at, Math.min(text.length, at + MAX_BYTES))) ?? [];
    if (prefix === undefined || (host !== undefined && !isHidden(host))) return false;
    const newline = text.indexOf(NEWLINE, at);
    at = newline < 0 ? text.length : newline + 1;
  }
  return true;
}

/** Beyond the calendar there is no text for a time. */
export function isCalendarTime(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds > 0 && isSampleTime(seconds);
}
