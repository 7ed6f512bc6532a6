/**
 * Go's count profiles at debug=1: goroutine, threadcreate and a program's own.
 *
 *     goroutine profile: total 17
 *     3 @ 0x43a8d6 0x44c0ef
 */
import { decodeText } from '../../../base/text.ts';
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import {
  parseAnyBase,
  parseDecimal,
  type Int,
  hasAsciiAt,
  isBlankOrComment,
  isRegexpSpace,
  skipDigits,
} from './go-strings.ts';
import { HexNumber, skipLowerHex } from './hex-addresses.ts';
import { LineScanner } from './line-scanner.ts';
import { readAdditionalSections } from './memory-map.ts';

export function readGoCount(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new LineScanner(bytes);
  while (lines.scan() && isBlankOrComment(bytes, lines.start, lines.end));
  lines.check();
  const kind = goCountKind(bytes, lines.start, lines.end);
  if (kind === undefined) return unrecognized(lines.line);
  const counts = { type: kind, unit: 'count' };
  const draft = new Draft([counts], counts, 1);
  const number = new HexNumber();
  while (lines.scan()) {
    if (isBlankOrComment(bytes, lines.start, lines.end)) continue;
    if (hasAsciiAt(bytes, '---', lines.start, lines.end)) break;
    const count = readRow(lines, draft, number);
    if (count === undefined) throw lines.error('malformed profile format');
    draft.values[0].push(count);
    draft.endStack();
  }
  lines.check();
  readAdditionalSections(lines, draft);
  return draft;
}

/** KIND of `KIND profile: total N`. */
export function goCountKind(bytes: Uint8Array, start: number, end: number): string | undefined {
  let stop = start;
  while (stop < end && !isRegexpSpace(bytes[stop])) stop++;
  const middle = ' profile: total ';
  if (stop === start || !hasAsciiAt(bytes, middle, stop, end)) return undefined;
  const digits = stop + middle.length;
  if (digits === end || skipDigits(bytes, digits, end) !== end) return undefined;
  return decodeText(bytes, start, stop);
}

/** The count of a row `COUNT @ 0x1 0x2`, whose frames are added to the draft; undefined when it is not one. */
function readRow(lines: LineScanner, draft: Draft, number: HexNumber): Int | undefined {
  const { bytes, start, end } = lines;
  let at = skipDigits(bytes, start, end);
  if (at === start || !hasAsciiAt(bytes, ' @', at, end)) return undefined;
  const count = parseCount(bytes, start, at);
  at += 2;
  if (count === undefined || at === end) return undefined;
  while (at < end) {
    if (!hasAsciiAt(bytes, ' 0x', at, end)) return undefined;
    const digits = at + 3;
    at = skipLowerHex(bytes, digits, end);
    if (at === digits || !number.parse(bytes, digits, at)) return undefined;
    draft.pushCaller(number.lo, number.hi);
  }
  return count;
}

/** A count with a leading zero is octal to pprof. */
function parseCount(bytes: Uint8Array, start: number, end: number): Int | undefined {
  if (bytes[start] !== 0x30) return parseDecimal(bytes, start, end);
  const parsed = parseAnyBase(decodeText(bytes, start, end));
  return 'value' in parsed ? parsed.value : undefined;
}
