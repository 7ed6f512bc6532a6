/**
 * Scanning bytes four at a time.
 *
 * A DataView read of an unaligned 32-bit word costs as much as the read of one byte, so the hot loops work on words.
 * Native `indexOf` has a fixed cost per call that is more than a typical line of 60 bytes takes here.
 */
export class ByteScanner {
  readonly bytes: Uint8Array;
  readonly end: number;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The offset of the next newline, or of the end. */
  newline(from: number): number {
    const view = this.view;
    const last = this.end - 4;
    let i = from;
    for (; i <= last; i += 4) {
      // A byte of x is zero where the word has a newline; the lowest flagged byte is exact.
      const x = view.getInt32(i, true) ^ 0x0a0a0a0a;
      const hit = (x - 0x01010101) & ~x & 0x80808080;
      if (hit !== 0) return i + ((31 - Math.clz32(hit & -hit)) >>> 3);
    }
    const bytes = this.bytes;
    while (i < this.end && bytes[i] !== 10) i++;
    return i;
  }

  /** The offset of the next newline or `(`, or of the end. */
  newlineOrParenthesis(from: number): number {
    const view = this.view;
    const last = this.end - 4;
    let i = from;
    for (; i <= last; i += 4) {
      const word = view.getInt32(i, true);
      const x = word ^ 0x0a0a0a0a;
      const y = word ^ 0x28282828;
      const hit = (((x - 0x01010101) & ~x) | ((y - 0x01010101) & ~y)) & 0x80808080;
      if (hit !== 0) return i + ((31 - Math.clz32(hit & -hit)) >>> 3);
    }
    const bytes = this.bytes;
    while (i < this.end && bytes[i] !== 10 && bytes[i] !== 0x28) i++;
    return i;
  }

  hash(start: number, end: number, seed: number): number {
    let h = seed ^ (end - start);
    const view = this.view;
    let i = start;
    if (end - start >= 4) {
      const last = end - 4;
      for (; i < last; i += 4) {
        h = Math.imul(h ^ view.getInt32(i, true), 0x9e3779b1);
        h ^= h >>> 15;
      }
      // The last word overlaps the one before, which saves a loop over the rest.
      h = Math.imul(h ^ view.getInt32(last, true), 0x9e3779b1);
    } else {
      for (; i < end; i++) h = Math.imul((h ^ this.bytes[i]) + 0x7f4a7c15, 0x9e3779b1);
    }
    h ^= h >>> 15;
    h = Math.imul(h, 0x85ebca6b);
    return h ^ (h >>> 13);
  }

  /** Whether bytes[a, a + length) equal bytes[b, b + length). */
  equal(a: number, b: number, length: number): boolean {
    if (length < 4) {
      for (let i = 0; i < length; i++) if (this.bytes[a + i] !== this.bytes[b + i]) return false;
      return true;
    }
    const view = this.view;
    const last = length - 4;
    for (let i = 0; i < last; i += 4) {
      if (view.getInt32(a + i, true) !== view.getInt32(b + i, true)) return false;
    }
    return view.getInt32(a + last, true) === view.getInt32(b + last, true);
  }
}

/** Where the text starts: after the byte order mark, if there is one. */
export function textStart(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether the ASCII text is at `at` and ends before `end`. */
export function startsWith(bytes: Uint8Array, text: string, at: number, end: number): boolean {
  if (end - at < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Whether the ASCII text ends at `end` and begins after `start`. */
export function endsWith(bytes: Uint8Array, text: string, start: number, end: number): boolean {
  return end - start >= text.length && startsWith(bytes, text, end - text.length, end);
}

export function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** The first offset from `at` that is not a decimal digit. */
export function digitsEnd(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isDigit(bytes[at])) at++;
  return at;
}

/** The decimal number in bytes[start, end), which are all digits. */
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + (bytes[i] - 48);
  return value;
}

/** 0..15, or -1 for a byte that is not a hexadecimal digit. */
export function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** A hexadecimal number with its `0x`, read in 32-bit halves: BigInt arithmetic would cost more than all the rest. */
export class HexNumber {
  lo = 0;
  hi = 0;

  /** Reads at `at` and returns the offset after the number, or -1 when there is none or it has more than 64 bits. */
  read(bytes: Uint8Array, at: number, end: number): number {
    if (end - at < 3 || bytes[at] !== 48 || bytes[at + 1] !== 120) return -1;
    let lo = 0;
    let hi = 0;
    let i = at + 2;
    for (; i < end; i++) {
      const digit = hexDigit(bytes[i]);
      if (digit < 0) break;
      if (hi >>> 28 !== 0) return -1;
      hi = ((hi << 4) | (lo >>> 28)) >>> 0;
      lo = ((lo << 4) | digit) >>> 0;
    }
    if (i === at + 2) return -1;
    this.lo = lo;
    this.hi = hi;
    return i;
  }
}
