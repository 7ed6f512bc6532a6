/** The bytes of one sample line: `name{label="value"} 1.5 1794772040`. */
import { startsWith } from '../../../base/byte-scan.ts';

export const NEWLINE = 0x0a;
export const HASH = 0x23;
export const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export const NAME_BYTE: Uint8Array = byteClass('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.');
export const NUMBER_BYTE: Uint8Array = byteClass('0123456789+-.eEnNaAiIfFtTyY');

function byteClass(chars: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
}

export function skipSpaces(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return at;
}

export function isEndOrSpace(bytes: Uint8Array, at: number, end: number): boolean {
  return at >= end || bytes[at] <= 0x20;
}

/** Where the labels that begin at `at` end, after the brace; -1 when they do not on this line. */
export function labelsEndAt(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    const byte = bytes[i];
    if (byte === CLOSE) return i + 1;
    if (byte === NEWLINE) return -1;
    if (byte === QUOTE) {
      i = quoteEndAt(bytes, i + 1, end);
      if (i < 0) return -1;
    }
  }
  return -1;
}

/** Where the quote that begins before `at` closes; -1 when it does not on this line. */
function quoteEndAt(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    if (bytes[i] === QUOTE) return i;
    if (bytes[i] === BACKSLASH) i++;
    if (bytes[i] === NEWLINE) return -1;
  }
  return -1;
}

const NAME_LABEL = '__name__="';

/**
 * Where the name stands in labels that have it: `{"my.metric",a="b"}` of OpenMetrics, `{__name__="up",a="b"}` as
 * Prometheus dumps its own database. An empty range when they have none.
 */
export function nameInLabels(bytes: Uint8Array, start: number, end: number): readonly [from: number, to: number] {
  let at = skipSpaces(bytes, start + 1);
  if (bytes[at] !== QUOTE) {
    while (at < end && !startsWith(bytes, NAME_LABEL, at, end)) {
      if (bytes[at] === QUOTE) at = quoteEndAt(bytes, at + 1, end);
      at++;
    }
    at += NAME_LABEL.length - 1;
  }
  const to = quoteEndAt(bytes, at + 1, end);
  return to < 0 ? [0, 0] : [at + 1, to];
}
