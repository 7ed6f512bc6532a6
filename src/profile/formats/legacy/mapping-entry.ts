/**
 * One line of a memory map. Two layouts, tried in this order:
 *
 *     00400000-00fcb000 r-xp 00000000 08:01 1234     /usr/bin/kubelet        /proc/PID/maps
 *     0x400000-0xfcb000 /usr/bin/kubelet (@ff00) abc123456                   brief: offset and build id optional
 *
 * Both are regular expressions in pprof, with optional parts all over; here each optional part is tried in the
 * expression's order of preference, and only where trying can change the outcome, so a line takes linear time.
 */
import { decodeText } from '../../../base/text.ts';
import { hexDigit, HexNumber } from './hex-addresses.ts';
import { isDigit, isRegexpSpace, skipDigits } from './go-strings.ts';

export interface MutableMapping {
  start: bigint;
  limit: bigint;
  offset: bigint;
  file: string;
  buildId: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface HexRange {
  readonly first: Span;
  readonly second: Span;
  /** Where the rest of the line begins. */
  readonly rest: number;
}

interface Fields {
  readonly range: HexRange;
  readonly perm?: Span | undefined;
  readonly offset?: Span | undefined;
  readonly file?: Span | undefined;
  readonly buildId?: Span | undefined;
}

/** The mapping of a line; 'skip' when it is not executable, 'unrecognized' when it is no mapping. */
export function parseMappingEntry(
  bytes: Uint8Array,
  start: number,
  end: number,
): MutableMapping | 'skip' | 'unrecognized' {
  const fields = matchProcMaps(bytes, start, end) ?? matchBrief(bytes, start, end);
  if (fields === undefined) return 'unrecognized';
  const { range, perm, offset, file, buildId } = fields;
  if (perm !== undefined && bytes.subarray(perm.start, perm.end).indexOf(0x78) < 0) return 'skip';
  const first = hexValue(bytes, range.first);
  const limit = hexValue(bytes, range.second);
  const at = offset === undefined ? 0n : hexValue(bytes, offset);
  if (first === undefined || limit === undefined || at === undefined) return 'unrecognized';
  return { start: first, limit, offset: at, file: textOf(bytes, file), buildId: textOf(bytes, buildId) };
}

function matchProcMaps(bytes: Uint8Array, start: number, end: number): Fields | undefined {
  for (const range of hexRanges(bytes, start, end)) {
    for (const perm of optional(spaced(bytes, range.rest, end, isPermission))) {
      const afterPerm = perm?.end ?? range.rest;
      for (const offset of optional(spaced(bytes, afterPerm, end, isHex))) {
        const inode = skipDevice(bytes, offset?.end ?? afterPerm, end);
        if (inode < 0) continue;
        return { range, perm, offset, file: spaced(bytes, inode, end, isNotSpace) };
      }
    }
  }
  return undefined;
}

/** Past ` 08:01 1234`, the device and the inode; -1 when they are not there. */
function skipDevice(bytes: Uint8Array, at: number, end: number): number {
  const major = spaced(bytes, at, end, isHex);
  if (major === undefined || bytes[major.end] !== 0x3a || major.end >= end) return -1;
  const minorEnd = skipWhile(bytes, major.end + 1, end, isHex);
  if (minorEnd === major.end + 1) return -1;
  const inode = skipWhile(bytes, minorEnd, end, isRegexpSpace);
  const inodeEnd = skipDigits(bytes, inode, end);
  return inode === minorEnd || inodeEnd === inode ? -1 : inodeEnd;
}

function matchBrief(bytes: Uint8Array, start: number, end: number): Fields | undefined {
  const [range] = hexRanges(bytes, start, end);
  if (range === undefined) return undefined;
  let at = range.rest;
  const perm = spaced(bytes, at, end, isPermission);
  at = perm?.end ?? at;
  const file = spaced(bytes, at, end, isNotSpace);
  at = file?.end ?? at;
  const offset = offsetInParentheses(bytes, at, end);
  at = offset === undefined ? at : offset.end + 1;
  return { range, perm, file, offset, buildId: spaced(bytes, at, end, isHex) };
}

function offsetInParentheses(bytes: Uint8Array, at: number, end: number): Span | undefined {
  const open = skipWhile(bytes, at, end, isRegexpSpace);
  if (open === at || open + 2 >= end || bytes[open] !== 0x28 || bytes[open + 1] !== 0x40) return undefined;
  const stop = skipWhile(bytes, open + 2, end, isHex);
  if (stop === open + 2 || stop >= end || bytes[stop] !== 0x29) return undefined;
  return { start: open + 2, end: stop };
}

/** The ways to read `START-END:` at the beginning of a line, best first. The dash and both `0x` are optional. */
function hexRanges(bytes: Uint8Array, start: number, end: number): HexRange[] {
  let at = skipWhile(bytes, start, end, isRegexpSpace);
  if (hasPrefix(bytes, at, end) && at + 2 < end && isHex(bytes[at + 2])) at += 2;
  const stop = skipWhile(bytes, at, end, isHex);
  if (stop === at) return [];
  const found: HexRange[] = [];
  const add = (firstEnd: number, second: number): void => {
    const secondEnd = skipWhile(bytes, second, end, isHex);
    if (secondEnd === second) return;
    const rest = secondEnd < end && bytes[secondEnd] === 0x3a ? secondEnd + 1 : secondEnd;
    found.push({ first: { start: at, end: firstEnd }, second: { start: second, end: secondEnd }, rest });
  };
  const addWithPrefix = (firstEnd: number, second: number): void => {
    if (hasPrefix(bytes, second, end)) add(firstEnd, second + 2);
    add(firstEnd, second);
  };
  // Two numbers with or without something between them.
  let second = stop;
  if (second < end && (bytes[second] === 0x2d || isRegexpSpace(bytes[second]))) second++;
  addWithPrefix(stop, skipWhile(bytes, second, end, isRegexpSpace));
  // One number: its last digit (or what follows a `0x` that ends it) is the second.
  if (stop - at > 1) addWithPrefix(stop - 1, stop - 1);
  return found;
}

/** White space and then one or more bytes of a class; undefined when either is missing. */
function spaced(bytes: Uint8Array, at: number, end: number, isClass: (byte: number) => boolean): Span | undefined {
  const start = skipWhile(bytes, at, end, isRegexpSpace);
  if (start === at) return undefined;
  const stop = skipWhile(bytes, start, end, isClass);
  return stop === start ? undefined : { start, end: stop };
}

/** An optional part: taken if it can be, and if that leads nowhere, left out. */
function optional(span: Span | undefined): readonly (Span | undefined)[] {
  return span === undefined ? [undefined] : [span, undefined];
}

function skipWhile(bytes: Uint8Array, i: number, end: number, isClass: (byte: number) => boolean): number {
  while (i < end && isClass(bytes[i])) i++;
  return i;
}

function hasPrefix(bytes: Uint8Array, at: number, end: number): boolean {
  return at + 1 < end && bytes[at] === 0x30 && bytes[at + 1] === 0x78;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || hexDigit(byte) >= 0;
}

function isNotSpace(byte: number): boolean {
  return !isRegexpSpace(byte);
}

/** `-`, `r`, `w`, `x` or `p`. */
function isPermission(byte: number): boolean {
  return byte === 0x2d || byte === 0x72 || byte === 0x77 || byte === 0x78 || byte === 0x70;
}

function hexValue(bytes: Uint8Array, span: Span): bigint | undefined {
  const number = new HexNumber();
  return number.parse(bytes, span.start, span.end) ? number.value : undefined;
}

function textOf(bytes: Uint8Array, span: Span | undefined): string {
  return span === undefined ? '' : decodeText(bytes, span.start, span.end);
}
