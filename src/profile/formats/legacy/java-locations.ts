/**
 * The symbols at the end of a Java profile, one line per address:
 *
 *     0x00000003 com.example.Main.run (Main.java:42)
 *     0x00000004 read (/lib/libc.so.6)
 *     0x00000005 GC
 */
import { FormatError } from '../../../base/errors.ts';
import { decodeText } from '../../../base/text.ts';
import type { Draft } from './draft.ts';
import { parseDecimal, type Int } from './go-integers.ts';
import { hasAsciiAt, indexOfAscii, isDigit, isRegexpSpace, trimEnd, trimStart } from './go-space.ts';
import { hexDigit, HexNumber } from './hex-addresses.ts';
import { locateMappings } from './locate-mappings.ts';

/** Reads the symbols in bytes[from, ...) onto the draft's locations, and numbers those. */
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
  return { name: decodeText(bytes, start, open - 1), filename: baseName(path), line: 0 };
}

/** The last `(` in bytes[start, end) that white space precedes, or -1. */
function lastOpening(bytes: Uint8Array, start: number, end: number): number {
  for (let i = end - 1; i > start; i--) if (bytes[i] === 0x28 && isRegexpSpace(bytes[i - 1])) return i;
  return -1;
}

/** Go's filepath.Base. */
function baseName(path: string): string {
  if (path === '') return '.';
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

function badAddress(bytes: Uint8Array, start: number, stop: number, end: number): FormatError {
  const digits = decodeText(bytes, start + 2, stop);
  const reason = `strconv.ParseUint: parsing "${digits}": value out of range`;
  return new FormatError(`parsing sample ${quoteLine(bytes, start, end)}: ${reason}`, { offset: start });
}

/** A line for an error message; lines of Java profiles may be of any length. */
export function quoteLine(bytes: Uint8Array, start: number, end: number): string {
  return end - start <= 65536 ? decodeText(bytes, start, end) : `${decodeText(bytes, start, start + 65536)}...`;
}
