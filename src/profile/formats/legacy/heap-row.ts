/** A row of a heap profile: `IN-USE: BYTES [ALLOCATED: BYTES] @ 0x1 0x2`, wherever in the line it stands. */
import { decodeText } from '../../../base/text.ts';
import type { Draft } from './draft.ts';
import { outOfRange, parseDecimal, quotient, type Int } from './go-integers.ts';
import { skipBlanks, skipDigits, trimEnd, trimStart } from './go-space.ts';
import type { HeapHeader } from './heap-header.ts';
import { scaleHeapSample } from './heap-scale.ts';
import { malformedSample, pushCallers, skipAddressText, tooLargeAddress } from './hex-addresses.ts';
import type { LineScanner } from './line-scanner.ts';

/** Four numbers as [start, end) pairs, and where the addresses begin. Reused from row to row. */
const fields = new Uint32Array(9);

/** Reads one row into the draft: a sample with its frames, its values and its block size. */
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
