/**
 * The prefixes that log pipelines put before each line. A shape reads the prefix of the line bytes[at, end) and says
 * where the payload begins, and which part of the prefix names the writer.
 *
 *     journald   Nov 01 12:00:00 worker-17 kubelet[123]: PAYLOAD
 *     cri        2026-11-01T12:00:00.123456789Z stderr F PAYLOAD
 *     docker     {"log":"PAYLOAD\n","stream":"stderr","time":"2026-11-01T12:00:00Z"}
 *     rfc3339    2026-11-01T12:00:00Z PAYLOAD
 *     klog       I1101 12:00:00.000000     123 kubelet.go:12] PAYLOAD
 */
export type PrefixStyle = 'journald' | 'cri' | 'docker' | 'rfc3339' | 'klog';

export interface Prefix {
  readonly payload: number;
  /** The writer: host and unit, or stream. Lines of other writers may stand between those of a dump. */
  readonly writerStart: number;
  readonly writerEnd: number;
  /** CRI: the line goes on in the next entry. */
  readonly partial: boolean;
}

export type Shape = (bytes: Uint8Array, at: number, end: number) => Prefix | undefined;

const SPACE = 0x20;

export const shapes: readonly (readonly [PrefixStyle, Shape])[] = [
  ['docker', docker],
  ['cri', cri],
  ['journald', journald],
  ['rfc3339', rfc3339],
  ['klog', klog],
];

export function docker(bytes: Uint8Array, at: number, end: number): Prefix | undefined {
  const payload = match(bytes, '{"log":"', at, end);
  return payload < 0 ? undefined : prefix(payload);
}

export function cri(bytes: Uint8Array, at: number, end: number): Prefix | undefined {
  const stamp = isoStamp(bytes, at, end);
  if (stamp < 0) return undefined;
  const writerEnd = Math.max(match(bytes, ' stdout', stamp, end), match(bytes, ' stderr', stamp, end));
  if (writerEnd < 0 || bytes[writerEnd] !== SPACE) return undefined;
  const tag = bytes[writerEnd + 1];
  if (writerEnd + 1 >= end || (tag !== 0x46 && tag !== 0x50)) return undefined;
  if (writerEnd + 2 < end && bytes[writerEnd + 2] !== SPACE) return undefined;
  return prefix(Math.min(writerEnd + 3, end), stamp, writerEnd, tag === 0x50);
}

export function journald(bytes: Uint8Array, at: number, end: number): Prefix | undefined {
  const stamp = journalStamp(bytes, at, end);
  if (stamp < 0 || bytes[stamp] !== SPACE) return undefined;
  const hostEnd = wordEnd(bytes, stamp + 1, end);
  if (hostEnd === stamp + 1 || bytes[hostEnd] !== SPACE) return undefined;
  const unitEnd = wordEnd(bytes, hostEnd + 1, end);
  if (unitEnd - hostEnd < 3 || bytes[unitEnd - 1] !== 0x3a) return undefined;
  return prefix(Math.min(unitEnd + 1, end), stamp, unitEnd);
}

export function rfc3339(bytes: Uint8Array, at: number, end: number): Prefix | undefined {
  let stamp = isoStamp(bytes, at, end);
  if (stamp < 0) stamp = fraction(bytes, match(bytes, '9999/99/99 99:99:99', at, end), end);
  if (stamp < 0 || (stamp < end && bytes[stamp] !== SPACE)) return undefined;
  return prefix(Math.min(stamp + 1, end));
}

export function klog(bytes: Uint8Array, at: number, end: number): Prefix | undefined {
  const level = bytes[at];
  if (level !== 0x49 && level !== 0x57 && level !== 0x45 && level !== 0x46) return undefined;
  let i = match(bytes, '9999 99:99:99.999999 ', at + 1, end);
  if (i < 0) return undefined;
  while (i < end && bytes[i] === SPACE) i++;
  const thread = digits(bytes, i, end);
  if (thread === i || bytes[thread] !== SPACE) return undefined;
  const place = wordEnd(bytes, thread + 1, end);
  if (place === thread + 1 || bytes[place - 1] !== 0x5d) return undefined;
  return prefix(Math.min(place + 1, end));
}

/** `Nov 01 12:00:00[.123456]`, an ISO stamp, `Sun 2026-11-01 12:00:00 UTC`, `1761998400.123456` or `[12345.678901]`. */
function journalStamp(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first >= 0x30 && first <= 0x39) {
    const iso = isoStamp(bytes, at, end);
    if (iso >= 0) return iso;
    const seconds = digits(bytes, at, end);
    return seconds - at >= 9 ? match(bytes, '.999999', seconds, end) : -1;
  }
  if (first === 0x5b) {
    let i = at + 1;
    while (i < end && bytes[i] === SPACE) i++;
    return match(bytes, '.999999]', digits(bytes, i, end), end);
  }
  if (!isCapital(first) || bytes[at + 3] !== SPACE) return -1;
  const full = fraction(bytes, match(bytes, '9999-99-99 99:99:99', at + 4, end), end);
  if (full >= 0) return bytes[full] === SPACE ? wordEnd(bytes, full + 1, end) : -1;
  const day =
    bytes[at + 4] === SPACE ? match(bytes, '9 99:99:99', at + 5, end) : match(bytes, '99 99:99:99', at + 4, end);
  return fraction(bytes, day, end);
}

/** `2026-11-01T12:00:00[.123][Z|+01:00|+0100]`. */
function isoStamp(bytes: Uint8Array, at: number, end: number): number {
  const seconds = fraction(bytes, match(bytes, '9999-99-99T99:99:99', at, end), end);
  if (seconds < 0) return -1;
  if (bytes[seconds] === 0x5a) return seconds + 1;
  if (bytes[seconds] !== 0x2b && bytes[seconds] !== 0x2d) return -1;
  const colon = match(bytes, '99:99', seconds + 1, end);
  return colon >= 0 ? colon : match(bytes, '9999', seconds + 1, end);
}

/** Skips `.123456`, when there is one. */
function fraction(bytes: Uint8Array, at: number, end: number): number {
  if (at < 0 || (bytes[at] !== 0x2e && bytes[at] !== 0x2c)) return at;
  return digits(bytes, at + 1, end);
}

/** Matches a pattern in which 9 stands for any digit; the offset behind it or -1. */
function match(bytes: Uint8Array, pattern: string, at: number, end: number): number {
  if (end - at < pattern.length) return -1;
  for (let i = 0; i < pattern.length; i++) {
    const want = pattern.charCodeAt(i);
    const byte = bytes[at + i];
    if (want === 0x39 ? byte < 0x30 || byte > 0x39 : byte !== want) return -1;
  }
  return at + pattern.length;
}

function digits(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && bytes[at] >= 0x30 && bytes[at] <= 0x39) at++;
  return at;
}

/** The end of the word at `at`. Bounded: no prefix has words that long. */
function wordEnd(bytes: Uint8Array, at: number, end: number): number {
  const limit = Math.min(end, at + 300);
  while (at < limit && bytes[at] !== SPACE) at++;
  return at;
}

function isCapital(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function prefix(payload: number, writerStart = payload, writerEnd = payload, partial = false): Prefix {
  return { payload, writerStart, writerEnd, partial };
}
