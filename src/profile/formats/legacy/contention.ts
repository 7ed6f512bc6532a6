/**
 * Contention as text: C++'s contentionz, and Go's mutex and block profiles at debug=1.
 *
 *     --- mutex:
 *     cycles/second=2445420912
 *     sampling period=1
 *     23583211 3 @ 0x4542b1 0x455ef1          cycles waited, times
 */
import { decodeText } from '../../../base/text.ts';
import { truncateToInt64 } from '../../../base/int64.ts';
import type { ValueType } from '../../profile.ts';
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import {
  narrow,
  outOfRange,
  parseAnyBase,
  parseDecimal,
  wrappingProduct,
  type Int,
  hasAsciiAt,
  isBlankOrComment,
  isDigit,
  trimEnd,
  trimStart,
  trimText,
} from './go-strings.ts';
import { malformedSample, pushCallers, skipAddressText, tooLargeAddress } from './hex-addresses.ts';
import { LineScanner } from './line-scanner.ts';
import { readAdditionalSections } from './memory-map.ts';

const CONTENTIONS: ValueType = { type: 'contentions', unit: 'count' };
const SAMPLE_TYPES: readonly ValueType[] = [CONTENTIONS, { type: 'delay', unit: 'nanoseconds' }];

export interface ContentionHeader {
  period: Int;
  cyclesPerSecond: bigint;
  durationNanos: bigint;
}

export function readContention(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new LineScanner(bytes);
  const isThere = lines.scan();
  lines.check();
  if (!isThere || !isContentionTitle(bytes, lines.start, lines.end)) return unrecognized(1);
  const header = readContentionHeader(lines);
  if (header === undefined) return unrecognized(lines.line);
  const draft = newContentionDraft(header);
  // The line that ended the header is the first row.
  do {
    const start = trimStart(bytes, lines.start, lines.end);
    if (hasAsciiAt(bytes, '---', start, lines.end)) break;
    if (isBlankOrComment(bytes, start, lines.end)) continue;
    if (!readContentionRow(lines, draft, header)) return unrecognized(lines.line);
  } while (lines.scan());
  lines.check();
  readAdditionalSections(lines, draft);
  return draft;
}

export function newContentionDraft(header: ContentionHeader): Draft {
  const draft = new Draft(SAMPLE_TYPES, CONTENTIONS, header.period);
  draft.durationNanos = header.durationNanos;
  return draft;
}

export function isContentionTitle(bytes: Uint8Array, start: number, end: number): boolean {
  return ['--- contentionz ', '--- mutex:', '--- contention:'].some(title => hasAsciiAt(bytes, title, start, end));
}

/** Reads `name = value` lines up to the first line that is none; undefined when one is not for this format. */
export function readContentionHeader(lines: LineScanner): ContentionHeader | undefined {
  const header: ContentionHeader = { period: 1, cyclesPerSecond: 0n, durationNanos: 0n };
  const { bytes } = lines;
  while (lines.scan()) {
    const start = trimStart(bytes, lines.start, lines.end);
    const end = trimEnd(bytes, start, lines.end);
    if (isBlankOrComment(bytes, start, end)) continue;
    if (hasAsciiAt(bytes, '---', start, end)) break;
    const text = decodeText(bytes, start, end);
    const equals = text.indexOf('=');
    if (equals < 0) break;
    const name = trimText(text.slice(0, equals));
    if (name === 'discarded samples') continue;
    const parsed = parseAnyBase(trimText(text.slice(equals + 1)));
    if ('error' in parsed) return undefined;
    if (name === 'cycles/second') header.cyclesPerSecond = parsed.value;
    else if (name === 'sampling period') header.period = narrow(parsed.value);
    else if (name === 'ms since reset') header.durationNanos = BigInt.asIntN(64, parsed.value * 1_000_000n);
    else return undefined;
  }
  lines.check();
  return header;
}

/** Reads one row into the draft; false when the line is not one. */
export function readContentionRow(lines: LineScanner, draft: Draft, header: ContentionHeader): boolean {
  const { bytes } = lines;
  const start = trimStart(bytes, lines.start, lines.end);
  const end = trimEnd(bytes, start, lines.end);
  const row = findRow(bytes, start, end);
  if (row === undefined) return false;
  const number = (from: number, to: number): Int => {
    const value = parseDecimal(bytes, from, to);
    if (value === undefined) throw malformedSample(lines, start, end, outOfRange(decodeText(bytes, from, to)));
    return value;
  };
  let delay = number(row.delayStart, row.delayEnd);
  let count = number(row.countStart, row.countEnd);
  if (header.period > 0) {
    if (header.cyclesPerSecond > 0n) {
      const cyclesPerNano = Number(header.cyclesPerSecond) / 1e9;
      delay = narrow(truncateToInt64((Number(delay) * Number(header.period)) / cyclesPerNano));
    }
    count = wrappingProduct(count, header.period);
  }
  const from = row.countEnd + 2;
  const stop = skipAddressText(bytes, from, end);
  const tooLarge = pushCallers(bytes, from, stop, draft);
  if (tooLarge >= 0) throw malformedSample(lines, start, end, tooLargeAddress(bytes, tooLarge, stop));
  draft.values[0].push(count);
  draft.values[1].push(delay);
  draft.endStack();
  return true;
}

interface Row {
  readonly delayStart: number;
  readonly delayEnd: number;
  readonly countStart: number;
  readonly countEnd: number;
}

/**
 * The leftmost `DELAY COUNT @`. pprof's expression lets the blanks between the two be missing, so a lone number
 * before the @ is split before its last digit.
 */
function findRow(bytes: Uint8Array, start: number, end: number): Row | undefined {
  for (let at = start; at + 1 < end; at++) {
    if (bytes[at] !== 0x20 || bytes[at + 1] !== 0x40 || at === start || !isDigit(bytes[at - 1])) continue;
    const countStart = digitsBefore(bytes, start, at);
    let delayEnd = countStart;
    while (delayEnd > start && bytes[delayEnd - 1] === 0x20) delayEnd--;
    const delayStart = digitsBefore(bytes, start, delayEnd);
    if (delayStart < delayEnd) return { delayStart, delayEnd, countStart, countEnd: at };
    if (at - countStart > 1) return { delayStart: countStart, delayEnd: at - 1, countStart: at - 1, countEnd: at };
  }
  return undefined;
}

/** Where the run of digits that ends at `end` begins. */
export function digitsBefore(bytes: Uint8Array, start: number, end: number): number {
  let i = end;
  while (i > start && isDigit(bytes[i - 1])) i--;
  return i;
}
