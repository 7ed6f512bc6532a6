/**
 * Heap and contention profiles of Java programs:
 *
 *     --- heapz 1 ---
 *     format = java
 *     resolution = bytes
 *       7048 1 @ 0x00000003 0x00000004           bytes, objects
 *     0x00000003 com.example.Main.run (Main.java:42)
 */
import { FormatError } from '../../../base/errors.ts';
import { basename } from '../../../base/go-path.ts';
import { decodeText } from '../../../base/text.ts';
import { Draft, unrecognized, type Unrecognized } from './draft.ts';
import {
  narrow,
  parseAnyBase,
  quotient,
  wrappingProduct,
  type Int,
  isDigit,
  skipBlanks,
  trimEnd,
  trimStart,
  trimText,
  parseDecimal,
  hasAsciiAt,
  indexOfAscii,
  isRegexpSpace,
} from './go-strings.ts';
import { scaleHeapSample } from './heap-scale.ts';
import { forEachAddress, skipAddressText, tooLargeAddress, hexDigit, HexNumber } from './hex-addresses.ts';
import { locateMappings } from './locate-mappings.ts';

const HEAP_SAMPLING_BYTES = 524288;

type Kind = 'heap' | 'contention';

/** The trimmed lines that end in a newline; anything after the last newline is for the symbols. */
class JavaLines {
  readonly bytes: Uint8Array;
  start = 0;
  end = 0;
  line = 0;
  /** Where the current line begins. */
  at = 0;
  private next = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  scan(): boolean {
    this.at = this.next;
    const newline = this.bytes.indexOf(10, this.next);
    if (newline < 0) return false;
    this.start = trimStart(this.bytes, this.next, newline);
    this.end = trimEnd(this.bytes, this.start, newline);
    this.next = newline + 1;
    this.line++;
    return true;
  }

  /** Makes the next scan give the current line again. */
  back(): void {
    this.next = this.at;
    this.line--;
  }

  error(prefix: string, reason: string): FormatError {
    const text = quoteLine(this.bytes, this.start, this.end);
    return new FormatError(`${prefix} ${text}: ${reason}`, { line: this.line, offset: this.start });
  }
}

/** Which profile the title, a line without white space around it, begins. */
export function javaKind(bytes: Uint8Array, start: number, end: number): Kind | undefined {
  const title = end - start > 40 ? '' : decodeText(bytes, start, end);
  return title === '--- heapz 1 ---' ? 'heap' : title === '--- contentionz 1 ---' ? 'contention' : undefined;
}

export function readJava(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new JavaLines(bytes);
  if (!lines.scan()) return unrecognized(1);
  const kind = javaKind(bytes, lines.start, lines.end);
  if (kind === undefined) return unrecognized(1);
  const draft = new Draft([], { type: '', unit: '' }, 0, 2);
  if (!readHeader(lines, kind, draft)) return unrecognized(lines.line);
  while (lines.scan()) {
    if (lines.start === lines.end) continue;
    if (!readRow(lines, kind, draft)) break;
  }
  readJavaLocations(bytes, lines.at, draft);
  return finishJava(draft);
}

/** Reads `name = value` lines up to the first that is none; false when an attribute is not for this kind. */
function readHeader(lines: JavaLines, kind: Kind, draft: Draft): boolean {
  while (lines.scan()) {
    if (lines.start === lines.end) continue;
    const attribute = findAttribute(lines);
    if (attribute === undefined) {
      lines.back();
      return true;
    }
    const { name, value } = attribute;
    const number = (): bigint => {
      const parsed = parseAnyBase(value);
      if ('error' in parsed) throw lines.error('failed to parse attribute', parsed.error);
      return parsed.value;
    };
    switch (`${kind}/${name}`) {
      case 'heap/format':
      case 'contention/format':
        if (value !== 'java') return false;
        break;
      case 'heap/resolution':
        draft.sampleTypes = [
          { type: 'inuse_objects', unit: 'count' },
          { type: 'inuse_space', unit: value },
        ];
        break;
      case 'contention/resolution':
        draft.sampleTypes = [
          { type: 'contentions', unit: 'count' },
          { type: 'delay', unit: value },
        ];
        break;
      case 'contention/sampling period':
        draft.periodType = { type: 'contentions', unit: 'count' };
        draft.period = number();
        break;
      case 'contention/ms since reset':
        draft.durationNanos = BigInt.asIntN(64, number() * 1_000_000n);
        break;
      default:
        return false;
    }
  }
  return true;
}

/** The first `name=value` of words and blanks in the line. */
function findAttribute({ bytes, start, end }: JavaLines): { name: string; value: string } | undefined {
  for (let equals = start; equals < end; equals++) {
    if (bytes[equals] !== 0x3d) continue;
    let from = equals;
    while (from > start && isWordOrBlank(bytes[from - 1])) from--;
    let to = equals + 1;
    while (to < end && isWordOrBlank(bytes[to])) to++;
    if (from === equals || to === equals + 1) continue;
    return { name: trimText(decodeText(bytes, from, equals)), value: trimText(decodeText(bytes, equals + 1, to)) };
  }
  return undefined;
}

function isWordOrBlank(byte: number): boolean {
  const isLetter = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
  return isLetter || isDigit(byte) || byte === 0x5f || byte === 0x20;
}

/** Reads a row `SIZE COUNT @ ADDRESSES` into the draft; false when the line is not one. */
function readRow(lines: JavaLines, kind: Kind, draft: Draft): boolean {
  const { bytes, end } = lines;
  const row = findRow(lines);
  if (row === undefined) return false;
  const from = skipBlanks(bytes, row.countEnd, end) + 1;
  const stop = skipAddressText(bytes, from, end);
  const tooLarge = forEachAddress(bytes, from, stop, (lo, hi) => draft.pushFrame(lo, hi));
  if (tooLarge >= 0) throw lines.error('malformed sample:', tooLargeAddress(bytes, tooLarge, stop));
  const number = (begin: number, limit: number): Int => {
    const parsed = parseAnyBase(decodeText(bytes, begin, limit));
    if ('error' in parsed) throw lines.error('parsing sample', parsed.error);
    return narrow(parsed.value);
  };
  let count = number(row.countStart, row.countEnd);
  let size = number(row.sizeStart, row.sizeEnd);
  if (kind === 'heap') {
    if (count === 0) throw lines.error('parsing sample', 'second value must be non-zero');
    draft.blockSizes.push(quotient(size, count));
    [count, size] = scaleHeapSample(count, size, HEAP_SAMPLING_BYTES);
  } else if (draft.period !== 0n) {
    const period = narrow(draft.period);
    count = wrappingProduct(count, period);
    size = wrappingProduct(size, period);
  }
  draft.values[0].push(count);
  draft.values[1].push(size);
  draft.endStack();
  return true;
}

interface Row {
  readonly sizeStart: number;
  readonly sizeEnd: number;
  readonly countStart: number;
  readonly countEnd: number;
}

/** The leftmost `SIZE COUNT @ `. */
function findRow({ bytes, start, end }: JavaLines): Row | undefined {
  for (let at = start; at + 1 < end; at++) {
    if (bytes[at] !== 0x40 || bytes[at + 1] !== 0x20) continue;
    const countEnd = blanksBefore(bytes, start, at);
    const countStart = digitRunBefore(bytes, start, countEnd);
    const sizeEnd = blanksBefore(bytes, start, countStart);
    const sizeStart = digitRunBefore(bytes, start, sizeEnd);
    if (countEnd < at && countStart < countEnd && sizeEnd < countStart && sizeStart < sizeEnd) {
      return { sizeStart, sizeEnd, countStart, countEnd };
    }
  }
  return undefined;
}

function blanksBefore(bytes: Uint8Array, start: number, end: number): number {
  while (end > start && bytes[end - 1] === 0x20) end--;
  return end;
}

function digitRunBefore(bytes: Uint8Array, start: number, end: number): number {
  while (end > start && isDigit(bytes[end - 1])) end--;
  return end;
}

/**
 * The symbols at the end of a Java profile, one line per address:
 *
 *     0x00000003 com.example.Main.run (Main.java:42)
 *     0x00000004 read (/lib/libc.so.6)
 *     0x00000005 GC
 *
 * Reads the symbols in bytes[from, ...) onto the draft's locations, and numbers those.
 */
export function readJavaLocations(bytes: Uint8Array, from: number, draft: Draft): void {
  // Addresses mean nothing in another run of a Java program: they go, so that profiles merge.
  draft.keepAddresses = false;
  const fnByName = new Map<string, number>();
  const number = new HexNumber();
  for (let at = from; at < bytes.length;) {
    let newline = bytes.indexOf(10, at);
    if (newline < 0) newline = bytes.length;
    const start = trimStart(bytes, at, newline);
    const end = trimEnd(bytes, start, newline);
    at = newline + 1;
    if (!hasAsciiAt(bytes, '0x', start, end)) continue;
    let stop = start + 2;
    while (stop < end && hexDigit(bytes[stop]) >= 0) stop++;
    if (stop === start + 2 || stop === end || !isRegexpSpace(bytes[stop])) continue;
    if (!number.parse(bytes, start + 2, stop)) throw badAddress(bytes, start, stop, end);
    const location = draft.addresses.find(number.lo, number.hi);
    if (location < 0) continue;
    let symbol = stop;
    while (symbol < end && isRegexpSpace(bytes[symbol])) symbol++;
    const { name, filename, line } = parseSymbol(bytes, symbol, end);
    let fn = fnByName.get(name);
    if (fn === undefined) {
      fn = draft.functions.length;
      draft.functions.push({ name, filename });
      fnByName.set(name, fn);
    }
    draft.lines.set(location, [{ fn, line }]);
  }
  draft.orderLocations();
  locateMappings(draft, []);
}

/** The check pprof makes of Java profiles, whose sample types are an attribute that may be missing. */
export function finishJava(draft: Draft): Draft {
  if (draft.sampleTypes.length === 0 && draft.sampleCount > 0) {
    throw new FormatError('missing sample type information', { line: 1 }); // the header lacks it
  }
  return draft;
}

interface Symbol {
  readonly name: string;
  readonly filename: string;
  readonly line: Int;
}

function parseSymbol(bytes: Uint8Array, start: number, end: number): Symbol {
  return (
    parseFileLine(bytes, start, end) ??
    parseLibrary(bytes, start, end) ?? {
      name: indexOfAscii(bytes, 'generated stub/JIT', start, end) >= 0 ? 'STUB' : decodeText(bytes, start, end),
      filename: '',
      line: 0,
    }
  );
}

/** `function (file:line)` */
function parseFileLine(bytes: Uint8Array, start: number, end: number): Symbol | undefined {
  if (end <= start || bytes[end - 1] !== 0x29) return undefined;
  let digits = end - 1;
  while (digits > start && isDigit(bytes[digits - 1])) digits--;
  if (digits === end - 1) return undefined;
  const isNegative = digits > start && bytes[digits - 1] === 0x2d;
  const colon = (isNegative ? digits - 1 : digits) - 1;
  if (colon < start || bytes[colon] !== 0x3a) return undefined;
  const open = lastOpening(bytes, start, colon - 1);
  if (open < 0) return undefined;
  const line = isNegative ? 0 : (parseDecimal(bytes, digits, end - 1) ?? 0);
  return { name: decodeText(bytes, start, open - 1), filename: decodeText(bytes, open + 1, colon), line };
}

/** `function (/path/of/library.so)`: only the library's own name is kept. */
function parseLibrary(bytes: Uint8Array, start: number, end: number): Symbol | undefined {
  if (end <= start || bytes[end - 1] !== 0x29) return undefined;
  const open = lastOpening(bytes, start, end - 1);
  if (open < 0) return undefined;
  const path = decodeText(bytes, open + 1, end - 1);
  return { name: decodeText(bytes, start, open - 1), filename: basename(path), line: 0 };
}

/** The last `(` in bytes[start, end) that white space precedes, or -1. */
function lastOpening(bytes: Uint8Array, start: number, end: number): number {
  for (let i = end - 1; i > start; i--) if (bytes[i] === 0x28 && isRegexpSpace(bytes[i - 1])) return i;
  return -1;
}

function badAddress(bytes: Uint8Array, start: number, stop: number, end: number): FormatError {
  const digits = decodeText(bytes, start + 2, stop);
  const reason = `strconv.ParseUint: parsing "${digits}": value out of range`;
  return new FormatError(`parsing sample ${quoteLine(bytes, start, end)}: ${reason}`, { offset: start });
}

/** A line for an error message; lines of Java profiles may be of any length. */
function quoteLine(bytes: Uint8Array, start: number, end: number): string {
  return end - start <= 65536 ? decodeText(bytes, start, end) : `${decodeText(bytes, start, start + 65536)}...`;
}
