/**
 * Takes the prefix of a log pipeline off each line, so that a goroutine dump or text profile that went through
 * journald, klog, a container log or `kubectl logs --timestamps` can be read.
 *
 *     const stripped = stripLogPrefix(bytes);
 *     const dump = readDebug2(stripped?.bytes ?? bytes);
 *
 * Nothing is done unless the header of a dump or profile follows a prefix. Lines of other writers in between are left
 * out; lines without a prefix are kept, because klog puts one only before the first line of a message.
 */
import { parseJson, recordOf, textOf } from '../../base/json.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import { klog, type Prefix, type PrefixStyle, type Shape, docker, journald, shapes } from './log-prefixes.ts';

/** No prefix is longer. */
const MAX_PREFIX_BYTES = 700;

const GOROUTINE = 'goroutine ';

const PROFILE = ' profile: ';

/** How far above an indented header the line that begins its message is looked for. */
const MAX_MESSAGE_HEAD_BYTES = 4096;

const MAX_LOOKUPS = 100;

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

export interface StrippedLog {
  readonly bytes: Uint8Array;
  readonly style: PrefixStyle;
  /** Who logged it, where the prefix says so: `worker-17`; '' otherwise. */
  readonly host: string;
}

/** The payload of prefixed text, or undefined when the text has no prefix that hides a dump or profile. */
export function stripLogPrefix(bytes: Uint8Array): StrippedLog | undefined {
  const found = findHeader(bytes);
  if (found === undefined) return undefined;
  const { style, shape, prefix } = found;
  const stripper = new Stripper(bytes, style, shape, prefix);
  return { bytes: stripper.strip(), style, host: style === 'journald' ? hostOf(bytes, prefix) : '' };
}

/** ` worker-17 kubelet[123]:` */
function hostOf(bytes: Uint8Array, { writerStart, writerEnd }: Prefix): string {
  const [host = ''] = decodeText(bytes, writerStart, writerEnd).trim().split(' ');
  return host === 'localhost' ? '' : host;
}

const NEWLINE = 10;

class Stripper {
  private readonly bytes: Uint8Array;
  private readonly style: PrefixStyle;
  private readonly shape: Shape;
  private writerStart: number;
  private writerEnd: number;
  private stream: string | undefined;
  /** Payloads are never longer than their lines, so the output fits. */
  private readonly out: Uint8Array;
  private length = 0;
  /** Width of the last prefix: journalctl indents the other lines of a message by as much. */
  private width = 0;

  constructor(bytes: Uint8Array, style: PrefixStyle, shape: Shape, prefix: Prefix) {
    this.bytes = bytes;
    this.style = style;
    this.shape = shape;
    this.writerStart = prefix.writerStart;
    this.writerEnd = prefix.writerEnd;
    this.out = new Uint8Array(bytes.length + 1);
  }

  strip(): Uint8Array {
    const { bytes } = this;
    let at = 0;
    while (at < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, at);
      const next = newline < 0 ? bytes.length : newline + 1;
      const end = newline < 0 ? bytes.length : newline;
      if (this.style === 'docker') this.dockerLine(at, end, next);
      else this.line(at, end, next);
      at = next;
    }
    return this.out.subarray(0, this.length);
  }

  private line(at: number, end: number, next: number): void {
    const prefix = this.shape(this.bytes, at, end);
    if (prefix === undefined) {
      this.copy(at + this.indent(at, end), next);
      return;
    }
    const payload = klog(this.bytes, prefix.payload, end)?.payload ?? prefix.payload;
    if (!this.sameWriter(prefix)) {
      if (!isPayloadHeader(this.bytes, payload, end)) return;
      this.writerStart = prefix.writerStart;
      this.writerEnd = prefix.writerEnd;
    }
    this.width = prefix.payload - at;
    if (this.style === 'journald') this.copyUnescaped(payload, next);
    else this.copy(payload, prefix.partial ? end : next);
  }

  /** The log entries hold their own newlines, so the payloads are simply joined. */
  private dockerLine(at: number, end: number, next: number): void {
    const { log, stream: name } = recordOf(parseJson(decodeText(this.bytes, at, end)));
    if (typeof log !== 'string') {
      this.copy(at, next);
      return;
    }
    const text = encodeText(log);
    const payload = klog(text, 0, text.length)?.payload ?? 0;
    const stream = textOf(name);
    if (stream !== this.stream && isPayloadHeader(text, payload, text.length)) this.stream = stream;
    if (this.stream !== undefined && stream !== this.stream) return;
    this.out.set(text.subarray(payload), this.length);
    this.length += text.length - payload;
  }

  private sameWriter(prefix: Prefix): boolean {
    const size = prefix.writerEnd - prefix.writerStart;
    if (size !== this.writerEnd - this.writerStart) return false;
    for (let i = 0; i < size; i++) {
      if (this.bytes[prefix.writerStart + i] !== this.bytes[this.writerStart + i]) return false;
    }
    return true;
  }

  /** How many bytes of an unprefixed line journalctl put there to align it with the line above. */
  private indent(at: number, end: number): number {
    if (this.style !== 'journald' || this.width === 0 || end - at < this.width) return 0;
    for (let i = 0; i < this.width; i++) if (this.bytes[at + i] !== 0x20) return 0;
    return this.width;
  }

  private copy(start: number, end: number): void {
    this.out.set(this.bytes.subarray(start, end), this.length);
    this.length += end - start;
  }

  /** syslog daemons write a tab as `#011`. */
  private copyUnescaped(start: number, end: number): void {
    const { bytes, out } = this;
    let to = this.length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i];
      if (byte === 0x23 && bytes[i + 1] === 0x30 && bytes[i + 2] === 0x31 && bytes[i + 3] === 0x31 && i + 3 < end) {
        out[to++] = 9;
        i += 3;
      } else {
        out[to++] = byte;
      }
    }
    this.length = to;
  }
}

/** Looks for the header of a goroutine dump or text profile, and for the prefix before it. */
interface FoundHeader {
  readonly style: PrefixStyle;
  readonly shape: Shape;
  readonly prefix: Prefix;
}

/** The prefix before the first header, or undefined when that has none or there is no header. */
function findHeader(bytes: Uint8Array): FoundHeader | undefined {
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
function isPayloadHeader(bytes: Uint8Array, at: number, end: number): boolean {
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
