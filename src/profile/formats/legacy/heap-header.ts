/**
 * The first line of a heap profile, wherever in the line it stands:
 *
 *     heap profile: IN-USE: BYTES [ALLOCATED: BYTES] @ KIND/RATE
 */
import { decodeText } from '../../../base/text.ts';
import { parseDecimal, quotient, type Int } from './go-integers.ts';
import { hasAsciiAt, indexOfAscii, skipBlanks, skipDigits } from './go-space.ts';

export interface HeapHeader {
  /** Whether values are a sample that must be scaled up by `period`. */
  readonly isSampled: boolean;
  readonly period: Int;
  /** Whether rows list allocations apart from memory in use. */
  readonly hasAllocated: boolean;
}

interface Counts {
  readonly numbers: readonly string[];
  /** Just past the `]`. */
  readonly end: number;
}

/** Undefined when the line is not a heap header. */
export function parseHeapHeader(bytes: Uint8Array, start: number, end: number): HeapHeader | undefined {
  const headers = [...headerCounts(bytes, start, end)];
  for (const { numbers, end: at } of headers) {
    const sign = skipBlanks(bytes, at, end);
    if (sign >= end || bytes[sign] !== 0x40) continue;
    const kindStart = skipBlanks(bytes, sign + 1, end);
    if (!hasAsciiAt(bytes, 'heap', kindStart, end)) continue;
    // Only the first that matches counts, even when its kind is unknown.
    return sampledHeader(bytes, kindStart, end, numbers);
  }
  const isUnsampled = headers.some(
    ({ end: at }) => hasAsciiAt(bytes, ' @ growth', at, end) || hasAsciiAt(bytes, ' @ fragmentation', at, end),
  );
  return isUnsampled ? { isSampled: false, period: 1, hasAllocated: false } : undefined;
}

function sampledHeader(
  bytes: Uint8Array,
  kindStart: number,
  end: number,
  [inUse, inUseBytes, allocated, allocatedBytes]: readonly string[],
): HeapHeader | undefined {
  const kindEnd = skipKind(bytes, kindStart, end);
  const rateStart = kindEnd < end && bytes[kindEnd] === 0x2f ? kindEnd + 1 : kindEnd;
  const period = parseDecimal(bytes, rateStart, skipDigits(bytes, rateStart, end));
  if (period === undefined) return undefined;
  const hasAllocated =
    (allocated !== inUse && allocated !== '0') || (allocatedBytes !== inUseBytes && allocatedBytes !== '0');
  switch (decodeText(bytes, kindStart, kindEnd)) {
    case 'heapz_v2':
    case 'heap_v2':
      return { isSampled: true, period, hasAllocated };
    case 'heapprofile':
      return { isSampled: false, period: 1, hasAllocated };
    case 'heap':
      // Go writes twice its rate, for tools that took it as the mean between samples.
      return { isSampled: true, period: quotient(period, 2), hasAllocated };
    default:
      return undefined;
  }
}

/** `[_a-z0-9]*` */
function skipKind(bytes: Uint8Array, i: number, end: number): number {
  for (; i < end; i++) {
    const byte = bytes[i];
    if (!((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f)) break;
  }
  return i;
}

/** Each `heap profile: N: N [N: N]` of the line. */
function* headerCounts(bytes: Uint8Array, start: number, end: number): Generator<Counts> {
  const title = 'heap profile:';
  for (let at = indexOfAscii(bytes, title, start, end); at >= 0; at = indexOfAscii(bytes, title, at + 1, end)) {
    let i = at + title.length;
    const numbers: string[] = [];
    const take = (closing: number): boolean => {
      const digits = skipBlanks(bytes, i, end);
      const stop = skipDigits(bytes, digits, end);
      if (stop === digits) return false;
      numbers.push(decodeText(bytes, digits, stop));
      i = closing === 0x3a ? stop : skipBlanks(bytes, stop, end);
      return i < end && bytes[i++] === closing;
    };
    if (take(0x3a) && take(0x5b) && take(0x3a) && take(0x5d)) yield { numbers, end: i };
  }
}
