/** Looks for the header of a goroutine dump or text profile, and for the prefix before it. */
import { docker, journald, klog, shapes, type Prefix, type PrefixStyle, type Shape } from './prefixes.ts';

export interface FoundHeader {
  readonly style: PrefixStyle;
  readonly shape: Shape;
  readonly prefix: Prefix;
}

/** No prefix is longer. */
const MAX_PREFIX_BYTES = 700;

const GOROUTINE = 'goroutine ';
const PROFILE = ' profile: ';

/** The prefix before the first header, or undefined when that has none or there is no header. */
export function findHeader(bytes: Uint8Array): FoundHeader | undefined {
  // Both needles are ten bytes long, so one pass that looks at every tenth byte finds either.
  let lineStart = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let searched = lineStart;
  let lookups = 0;
  for (let at = nextNeedle(bytes, 0); at >= 0; at = nextNeedle(bytes, at + 1)) {
    // Only what was not yet searched for a newline, so that the time stays linear.
    for (let i = at; i > searched; i--) {
      if (bytes[i - 1] !== 10) continue;
      lineStart = i;
      break;
    }
    searched = at;
    if (at - lineStart > MAX_PREFIX_BYTES) continue;
    const end = Math.min(bytes.length, at + 400);
    // `{"log":"heap` would pass for the name of a profile.
    if (docker(bytes, lineStart, end) === undefined && isPayloadHeader(bytes, lineStart, end)) return undefined;
    if (bytes[lineStart] === 0x20 && lookups < MAX_LOOKUPS && isPayloadHeader(bytes, at, end)) {
      lookups++;
      const prefix = indentingPrefix(bytes, lineStart, at);
      if (prefix !== undefined) return { style: 'journald', shape: journald, prefix };
    }
    for (const [style, shape] of shapes) {
      const prefix = shape(bytes, lineStart, end);
      if (prefix === undefined) continue;
      const payload = klog(bytes, prefix.payload, end)?.payload ?? prefix.payload;
      if (payload <= at && isPayloadHeader(bytes, payload, end)) return { style, shape, prefix };
    }
  }
  return undefined;
}

/** How far above an indented header the line that begins its message is looked for. */
const MAX_MESSAGE_HEAD_BYTES = 4096;
const MAX_LOOKUPS = 100;

/** The prefix of the line above that begins the message, when spaces as wide as it stand before the header. */
function indentingPrefix(bytes: Uint8Array, lineStart: number, header: number): Prefix | undefined {
  for (let i = lineStart; i < header; i++) if (bytes[i] !== 0x20) return undefined;
  const limit = Math.max(0, lineStart - MAX_MESSAGE_HEAD_BYTES);
  for (let end = lineStart - 1; end > limit;) {
    let start = end;
    while (start > limit && bytes[start - 1] !== 10) start--;
    const prefix = journald(bytes, start, end);
    if (prefix !== undefined) return prefix.payload - start === header - lineStart ? prefix : undefined;
    end = start - 1;
  }
  return undefined;
}

/** Whether `goroutine N [`, `NAME profile: total N` or `heap profile: N` stands at `at`. */
export function isPayloadHeader(bytes: Uint8Array, at: number, end: number): boolean {
  if (matches(bytes, GOROUTINE, at, end)) {
    let i = at + GOROUTINE.length;
    const digits = i;
    while (i < end && bytes[i] >= 0x30 && bytes[i] <= 0x39) i++;
    if (i > digits && bytes[i] === 0x20 && (bytes[i + 1] === 0x5b || matches(bytes, 'gp=', i + 1, end))) return true;
  }
  let i = at;
  while (i < end && bytes[i] > 0x20) i++;
  if (i === at || !matches(bytes, PROFILE, i, end)) return false;
  const value = i + PROFILE.length;
  const digit = matches(bytes, 'total ', value, end) ? bytes[value + 6] : bytes[value];
  return digit >= 0x30 && digit <= 0x39;
}

/** Distance of a byte's last occurrence from the end of the needle, for a search that skips (Horspool). */
const shifts: Uint8Array = (() => {
  const table = new Uint8Array(256).fill(GOROUTINE.length);
  for (const needle of [GOROUTINE, PROFILE]) {
    for (let i = 0; i + 1 < needle.length; i++) {
      const byte = needle.charCodeAt(i);
      table[byte] = Math.min(table[byte], needle.length - 1 - i);
    }
  }
  return table;
})();

function nextNeedle(bytes: Uint8Array, from: number): number {
  const last = GOROUTINE.length - 1;
  for (let i = from + last; i < bytes.length; i += shifts[bytes[i]]) {
    // Both needles end in a space.
    if (bytes[i] !== 0x20) continue;
    if (matches(bytes, GOROUTINE, i - last, bytes.length) || matches(bytes, PROFILE, i - last, bytes.length)) {
      return i - last;
    }
  }
  return -1;
}

function matches(bytes: Uint8Array, text: string, at: number, end: number): boolean {
  if (end - at < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
