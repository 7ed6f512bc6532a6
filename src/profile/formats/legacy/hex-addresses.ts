/** `0x` numbers in text, as unsigned halves: heap and contention rows are mostly these. */
import type { Draft } from './draft.ts';
import type { LineScanner } from './line-scanner.ts';
import type { FormatError } from '../../../base/errors.ts';
import { decodeText } from '../../../base/text.ts';

/** The value of lower or upper case hex digit, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  return -1;
}

/** One parsed address. Reused from call to call: rows hold millions. */
export class HexNumber {
  lo = 0;
  hi = 0;

  /** Takes the hex digits in bytes[start, end); false when they need more than 64 bits. */
  parse(bytes: Uint8Array, start: number, end: number): boolean {
    while (start < end && bytes[start] === 0x30) start++;
    if (end - start > 16) return false;
    const split = Math.max(start, end - 8);
    let hi = 0;
    for (let i = start; i < split; i++) hi = hi * 16 + hexDigit(bytes[i]);
    let lo = 0;
    for (let i = split; i < end; i++) lo = lo * 16 + hexDigit(bytes[i]);
    this.lo = lo;
    this.hi = hi;
    return true;
  }

  get value(): bigint {
    return (BigInt(this.hi) << 32n) | BigInt(this.lo);
  }
}

/**
 * Calls `each` with every `0x` number (lower case digits) in bytes[start, end), left to right. Returns -1, or where
 * the first number that does not fit 64 bits begins.
 */
export function forEachAddress(
  bytes: Uint8Array,
  start: number,
  end: number,
  each: (lo: number, hi: number) => void,
): number {
  const number = new HexNumber();
  let i = start;
  while (i + 2 < end) {
    if (bytes[i] !== 0x30 || bytes[i + 1] !== 0x78) {
      i++;
      continue;
    }
    const digits = i + 2;
    const stop = skipLowerHex(bytes, digits, end);
    if (stop === digits) {
      i++;
      continue;
    }
    if (!number.parse(bytes, digits, stop)) return i;
    each(number.lo, number.hi);
    i = stop;
  }
  return -1;
}

/** Adds the caller that returns to each `0x` number in bytes[start, end); the result is `forEachAddress`'s. */
export function pushCallers(bytes: Uint8Array, start: number, end: number, draft: Draft): number {
  return forEachAddress(bytes, start, end, (lo, hi) => draft.pushCaller(lo, hi));
}

export function skipLowerHex(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && ((bytes[i] >= 0x30 && bytes[i] <= 0x39) || (bytes[i] >= 0x61 && bytes[i] <= 0x66))) i++;
  return i;
}

/** The end of the run of `[ x0-9a-f]` at `i`: what rows may have after their `@`. */
export function skipAddressText(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && isAddressText(bytes[i])) i++;
  return i;
}

function isAddressText(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || byte === 0x20 || byte === 0x78;
}

/** The text of the number at `at`, for the error that says it is too large. */
export function tooLargeAddress(bytes: Uint8Array, at: number, end: number): string {
  return `failed to parse as hex 64-bit number: ${quotable(bytes, at, skipLowerHex(bytes, at + 2, end))}`;
}

const MAX_QUOTED_BYTES = 160;

/** `malformed sample: LINE: REASON`. */
export function malformedSample(lines: LineScanner, start: number, end: number, reason: string): FormatError {
  return lines.error(`malformed sample: ${quotable(lines.bytes, start, end)}: ${reason}`);
}

/** Input as an error may show it: a line can be 64 KiB long. */
function quotable(bytes: Uint8Array, start: number, end: number): string {
  const stop = Math.min(end, start + MAX_QUOTED_BYTES);
  const text = decodeText(bytes, start, stop);
  return stop < end ? `${text}...` : text;
}
