/**
 * Text as Go has it: byte strings that are usually, but not always, UTF-8.
 *
 * A byte that is not valid UTF-8 becomes a lone surrogate U+DC80..U+DCFF (0xDC00 + byte), and becomes that byte again
 * on the way out, so nothing is lost between reading a profile and writing it.
 */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Node's own decoder, several times faster than TextDecoder on short text; browsers do not have it. */
const utf8Slice: ((this: Uint8Array, start: number, end: number) => string) | undefined = (
  globalThis as { Buffer?: { prototype: { utf8Slice?: (this: Uint8Array, start: number, end: number) => string } } }
).Buffer?.prototype.utf8Slice;

/** Decodes bytes[start, end), without loss. */
export function decodeText(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  // Node's decoder throws beyond the end.
  if (end > bytes.length) end = bytes.length;
  if (start >= end) return '';
  const text = utf8Slice === undefined ? lenient.decode(bytes.subarray(start, end)) : utf8Slice.call(bytes, start, end);
  return text.includes('\uFFFD') ? decodeEscaping(bytes, start, end) : text;
}

function decodeEscaping(bytes: Uint8Array, start: number, end: number): string {
  let out = '';
  let valid = start;
  for (let i = start; i < end;) {
    const size = sequenceLength(bytes, i, end);
    if (size > 0) {
      i += size;
      continue;
    }
    if (valid < i) out += lenient.decode(bytes.subarray(valid, i));
    out += String.fromCharCode(0xdc00 + bytes[i]);
    valid = ++i;
  }
  return valid < end ? out + lenient.decode(bytes.subarray(valid, end)) : out;
}

/** Length of the valid UTF-8 sequence at `i`, or 0. */
function sequenceLength(bytes: Uint8Array, i: number, end: number): number {
  const b0 = bytes[i];
  if (b0 < 0x80) return 1;
  const size = b0 >= 0xf0 && b0 <= 0xf4 ? 4 : b0 >= 0xe0 ? 3 : b0 >= 0xc2 ? 2 : 0;
  if (size === 0 || b0 > 0xf4 || i + size > end) return 0;
  for (let k = 1; k < size; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return 0;
  const b1 = bytes[i + 1];
  if (b0 === 0xe0 && b1 < 0xa0) return 0;
  if (b0 === 0xed && b1 >= 0xa0) return 0;
  if (b0 === 0xf0 && b1 < 0x90) return 0;
  if (b0 === 0xf4 && b1 >= 0x90) return 0;
  return size;
}

/** The bytes that `decodeText` decoded. */
export function encodeText(text: string): Uint8Array {
  if (!/[\uDC80-\uDCFF]/.test(text)) return encoder.encode(text);
  const parts: Uint8Array[] = [];
  let run = '';
  for (const char of text) {
    const code = char.length === 1 ? char.charCodeAt(0) : 0;
    if (code >= 0xdc80 && code <= 0xdcff) {
      if (run !== '') parts.push(encoder.encode(run));
      run = '';
      parts.push(Uint8Array.of(code - 0xdc00));
    } else {
      run += char;
    }
  }
  if (run !== '') parts.push(encoder.encode(run));
  return concatBytes(parts);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The same, but returns a single part as it is. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : concatBytes(parts);
}

/** Orders strings by their UTF-8 bytes, as Go does; `<` orders by UTF-16 units, which differs beyond the BMP. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    // Lifting surrogates above the rest of the BMP makes code unit order code point order.
    if (x >= 0xd800) x += x >= 0xe000 ? -0x800 : 0x2000;
    if (y >= 0xd800) y += y >= 0xe000 ? -0x800 : 0x2000;
    return x - y;
  }
  return a.length - b.length;
}

/** Length in UTF-8 bytes. */
export function byteLength(text: string): number {
  return /^[\x00-\x7f]*$/.test(text) ? text.length : encodeText(text).length;
}

/** 32 bits, always the same for a text: FNV-1a with mixed bits, since names differ in their last letter. */
export function mixedHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
