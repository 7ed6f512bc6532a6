/** Heap profiles as text: tcmalloc's heapz and heapprofile, growth, fragmentation, and Go's heap at debug=1. */
import type { ValueType } from '../../profile.ts';
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import {
  isBlankOrComment,
  parseDecimal,
  quotient,
  type Int,
  hasAsciiAt,
  indexOfAscii,
  skipBlanks,
  skipDigits,
  outOfRange,
  trimEnd,
  trimStart,
} from './go-strings.ts';
import { LineScanner } from './line-scanner.ts';
import { readAdditionalSections } from './memory-map.ts';
import { decodeText } from '../../../base/text.ts';
import { scaleHeapSample } from './heap-scale.ts';
import { malformedSample, pushCallers, skipAddressText, tooLargeAddress } from './hex-addresses.ts';

// In use comes last, because pprof shows the last type by default.
const ALLOCATED_AND_IN_USE: readonly ValueType[] = [
  { type: 'alloc_objects', unit: 'count' },
  { type: 'alloc_space', unit: 'bytes' },
  { type: 'inuse_objects', unit: 'count' },
  { type: 'inuse_space', unit: 'bytes' },
];
const IN_USE: readonly ValueType[] = [
  { type: 'objects', unit: 'count' },
  { type: 'space', unit: 'bytes' },
];

export function newHeapDraft(header: HeapHeader): Draft {
  return new Draft(
    header.hasAllocated ? ALLOCATED_AND_IN_USE : IN_USE,
    { type: 'space', unit: 'bytes' },
    header.period,
  );
}

export function readHeap(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new LineScanner(bytes);
  const isThere = lines.scan();
  lines.check();
  const header = isThere ? parseHeapHeader(bytes, lines.start, lines.end) : undefined;
  if (header === undefined) return unrecognized(1);
  const draft = newHeapDraft(header);
  while (lines.scan()) {
    if (isBlankOrComment(bytes, lines.start, lines.end)) continue;
    if (lines.isMemoryMapSentinel) break;
    readHeapRow(lines, draft, header);
  }
  lines.check();
  readAdditionalSections(lines, draft);
  return draft;
}

/**
 * The first line of a heap profile, wherever in the line it stands:
 *
 *     heap profile: IN-USE: BYTES [ALLOCATED: BYTES] @ KIND/RATE
 */
interface HeapHeader {
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

/** Four numbers as [start, end) pairs, and where the addresses begin. Reused from row to row. */
const fields = new Uint32Array(9);

/**
 * Reads one row into the draft: a sample with its frames, its values and its block size.
 *
 *     IN-USE: BYTES [ALLOCATED: BYTES] @ 0x1 0x2        wherever in the line it stands
 */
export function readHeapRow(lines: LineScanner, draft: Draft, header: HeapHeader): void {
  const { bytes } = lines;
  const start = trimStart(bytes, lines.start, lines.end);
  const end = trimEnd(bytes, start, lines.end);
  if (!findRow(bytes, start, end)) throw lines.error('unexpected number of sample values: got 0, want 6');
  let blockSize: Int = 0;
  if (header.hasAllocated) blockSize = addValues(lines, draft, header, 2, 0) ?? blockSize;
  blockSize = addValues(lines, draft, header, 0, header.hasAllocated ? 2 : 0) ?? blockSize;
  const stop = skipAddressText(bytes, fields[8], end);
  // Heap stacks hold return addresses only, the leaf's too.
  const tooLarge = pushCallers(bytes, fields[8], stop, draft);
  if (tooLarge >= 0) throw malformedSample(lines, start, end, tooLargeAddress(bytes, tooLarge, stop));
  draft.blockSizes.push(blockSize);
  draft.endStack();
}

/** Adds the count and size that begin at `field` to two columns; returns the size of one, unless there are none. */
function addValues(
  lines: LineScanner,
  draft: Draft,
  header: HeapHeader,
  field: number,
  column: number,
): Int | undefined {
  const count = numberAt(lines, field);
  const size = numberAt(lines, field + 1);
  const label = field === 0 ? 'inuse' : 'allocation';
  if (count === 0 && size !== 0) throw lines.error(`${label} count was 0 but ${label} bytes was ${size}`);
  const isScaled = header.isSampled && count !== 0;
  const scaled = isScaled ? scaleHeapSample(count, size, header.period) : undefined;
  draft.values[column].push(scaled === undefined ? count : scaled[0]);
  draft.values[column + 1].push(scaled === undefined ? size : scaled[1]);
  return count === 0 ? undefined : quotient(size, count);
}

function numberAt(lines: LineScanner, field: number): Int {
  const { bytes } = lines;
  const from = fields[field * 2];
  const to = fields[field * 2 + 1];
  const value = parseDecimal(bytes, from, to);
  if (value !== undefined) return value;
  const start = trimStart(bytes, lines.start, lines.end);
  throw malformedSample(lines, start, trimEnd(bytes, start, lines.end), outOfRange(decodeText(bytes, from, to)));
}

/** Finds the leftmost row in bytes[start, end); each digit run is looked at a handful of times at most. */
function findRow(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end;) {
    const stop = skipDigits(bytes, i, end);
    if (stop === i) {
      i++;
      continue;
    }
    if (stop < end && bytes[stop] === 0x3a && matchRest(bytes, stop + 1, end)) {
      fields[0] = i > start && bytes[i - 1] === 0x2d ? i - 1 : i;
      fields[1] = stop;
      return true;
    }
    i = stop;
  }
  return false;
}

/** `BYTES [ALLOCATED: BYTES] @` */
function matchRest(bytes: Uint8Array, at: number, end: number): boolean {
  at = takeNumber(bytes, skipBlanks(bytes, at, end), end, 1, true);
  if (at < 0) return false;
  at = skipBlanks(bytes, at, end);
  if (at >= end || bytes[at] !== 0x5b) return false;
  at = takeNumber(bytes, skipBlanks(bytes, at + 1, end), end, 2, false);
  if (at < 0 || at >= end || bytes[at] !== 0x3a) return false;
  at = takeNumber(bytes, skipBlanks(bytes, at + 1, end), end, 3, false);
  if (at < 0) return false;
  at = skipBlanks(bytes, at, end);
  if (at + 2 >= end || bytes[at] !== 0x5d || bytes[at + 1] !== 0x20 || bytes[at + 2] !== 0x40) return false;
  fields[8] = at + 3;
  return true;
}

function takeNumber(bytes: Uint8Array, at: number, end: number, field: number, mayBeNegative: boolean): number {
  const digits = mayBeNegative && at < end && bytes[at] === 0x2d ? at + 1 : at;
  const stop = skipDigits(bytes, digits, end);
  if (stop === digits) return -1;
  fields[field * 2] = at;
  fields[field * 2 + 1] = stop;
  return stop;
}
