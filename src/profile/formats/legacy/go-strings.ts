/**
 * White space and integers as Go has them, over UTF-8 bytes. `strings.TrimSpace` trims Unicode white space (with
 * U+0085, without U+FEFF: JavaScript's `trim` does the opposite), while `\s` of a Go regexp is these five ASCII
 * characters only.
 */

/** Go's `\s`: tab, newline, form feed, carriage return, space. */
export function isRegexpSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d;
}

/** Length of the white space character at `i`, or 0. */
function spaceAt(bytes: Uint8Array, i: number, end: number): number {
  const b0 = bytes[i];
  if (b0 === 0x20 || (b0 >= 0x09 && b0 <= 0x0d)) return 1;
  if (b0 < 0xc2) return 0;
  if (b0 === 0xc2) return i + 1 < end && (bytes[i + 1] === 0x85 || bytes[i + 1] === 0xa0) ? 2 : 0;
  return i + 2 < end && isWideSpace(b0, bytes[i + 1], bytes[i + 2]) ? 3 : 0;
}

/** U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F and U+3000. */
function isWideSpace(b0: number, b1: number, b2: number): boolean {
  if (b0 === 0xe1) return b1 === 0x9a && b2 === 0x80;
  if (b0 === 0xe3) return b1 === 0x80 && b2 === 0x80;
  if (b0 !== 0xe2) return false;
  if (b1 === 0x81) return b2 === 0x9f;
  return b1 === 0x80 && ((b2 >= 0x80 && b2 <= 0x8a) || b2 === 0xa8 || b2 === 0xa9 || b2 === 0xaf);
}

/** The first byte in [start, end) that is not white space. */
export function trimStart(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end) {
    const size = spaceAt(bytes, i, end);
    if (size === 0) break;
    i += size;
  }
  return i;
}

/** The end of [start, end) without trailing white space. */
export function trimEnd(bytes: Uint8Array, start: number, end: number): number {
  let i = end;
  while (i > start) {
    const last = bytes[i - 1];
    if (last < 0x80) {
      if (last !== 0x20 && (last < 0x09 || last > 0x0d)) break;
      i--;
    } else if (i - start >= 2 && spaceAt(bytes, i - 2, i) === 2) {
      i -= 2;
    } else if (i - start >= 3 && spaceAt(bytes, i - 3, i) === 3) {
      i -= 3;
    } else {
      break;
    }
  }
  return i;
}

/** `strings.TrimSpace` for text already decoded. */
export function trimText(text: string): string {
  const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text[start])) start++;
  while (end > start && space.test(text[end - 1])) end--;
  return text.slice(start, end);
}

export function isBlankOrComment(bytes: Uint8Array, start: number, end: number): boolean {
  const i = trimStart(bytes, start, end);
  return i === end || bytes[i] === 0x23;
}

/** Where `needle` (ASCII) first begins in bytes[start, end), or -1. */
export function indexOfAscii(bytes: Uint8Array, needle: string, start: number, end: number): number {
  const first = needle.charCodeAt(0);
  const last = end - needle.length;
  for (let i = start; i <= last; i++) {
    if (bytes[i] === first && hasAsciiAt(bytes, needle, i, end)) return i;
  }
  return -1;
}

export function hasAsciiAt(bytes: Uint8Array, needle: string, at: number, end: number): boolean {
  if (at + needle.length > end) return false;
  for (let k = 0; k < needle.length; k++) if (bytes[at + k] !== needle.charCodeAt(k)) return false;
  return true;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The end of the run of decimal digits that begins at `i`. */
export function skipDigits(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && bytes[i] >= 0x30 && bytes[i] <= 0x39) i++;
  return i;
}

/** The end of the run of plain spaces that begins at `i`. */
export function skipBlanks(bytes: Uint8Array, i: number, end: number): number {
  while (i < end && bytes[i] === 0x20) i++;
  return i;
}

/** Integers as Go's strconv parses them. A plain number where that is exact, a bigint where it is not. */
export type Int = number | bigint;

const MAX_INT64 = 9223372036854775807n;

/** The digits of bytes[start, end), perhaps after a `-`, as an int64; undefined when out of range. */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): Int | undefined {
  const negative = bytes[start] === 0x2d;
  let i = negative ? start + 1 : start;
  while (i < end && bytes[i] === 0x30) i++;
  if (end - i > 19) return undefined;
  if (end - i <= 15) {
    let value = 0;
    for (; i < end; i++) value = value * 10 + (bytes[i] - 0x30);
    return negative && value !== 0 ? -value : value;
  }
  let wide = 0n;
  for (; i < end; i++) wide = wide * 10n + BigInt(bytes[i] - 0x30);
  if (wide > (negative ? MAX_INT64 + 1n : MAX_INT64)) return undefined;
  return narrow(negative ? -wide : wide);
}

export function narrow(value: bigint): Int {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

/** Go's product, which wraps around at 64 bits. */
export function wrappingProduct(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  return narrow(BigInt.asIntN(64, BigInt(a) * BigInt(b)));
}

/** Go's quotient, which truncates toward zero and wraps around. */
export function quotient(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = (a - (a % b)) / b;
    return result === 0 ? 0 : result;
  }
  return narrow(BigInt.asIntN(64, BigInt(a) / BigInt(b)));
}

type ParsedInt = { readonly value: bigint } | { readonly error: string };

/** `strconv.ParseInt(text, 0, 64)`: sign, 0x 0o 0b or 0 prefix, and underscores between digits. */
export function parseAnyBase(text: string): ParsedInt {
  const fail = (reason: string): ParsedInt => ({ error: `strconv.ParseInt: parsing ${quote(text)}: ${reason}` });
  const match =
    /^([+-]?)(?:0[xX](_?[0-9a-fA-F][0-9a-fA-F_]*)|0[oO](_?[0-7][0-7_]*)|0[bB](_?[01][01_]*)|(\d[\d_]*))$/.exec(text);
  if (match === null) return fail('invalid syntax');
  const [, sign, hex, octal, binary, plain] = match;
  const isOldOctal = plain !== undefined && plain.length > 1 && plain.startsWith('0');
  const body = hex ?? octal ?? binary ?? plain;
  if (body.includes('__') || body.endsWith('_')) return fail('invalid syntax');
  const digits = body.replaceAll('_', '');
  if (isOldOctal && !/^[0-7]+$/.test(digits)) return fail('invalid syntax');
  const radix = hex !== undefined ? '0x' : octal !== undefined || isOldOctal ? '0o' : binary !== undefined ? '0b' : '';
  const significant = digits.replace(/^0+/, '') || '0';
  // Anything longer is out of range in every base, and BigInt of a long text is slow.
  if (significant.length > 64) return fail('value out of range');
  const magnitude = BigInt(radix + significant);
  if (magnitude > (sign === '-' ? MAX_INT64 + 1n : MAX_INT64)) return fail('value out of range');
  return { value: sign === '-' ? -magnitude : magnitude };
}

/** The text of the error for a run of digits that does not fit an int64. */
export function outOfRange(digits: string): string {
  return `strconv.ParseInt: parsing "${digits}": value out of range`;
}

/** Go's %q, as far as the callers need it: attribute values are words, digits and blanks. */
function quote(text: string): string {
  return JSON.stringify(text);
}
