/**
 * The two lines of a frame in a debug=2 dump:
 *
 *     main.(*listener).run(0xc000116000, {0x4991f4?, ...})
 *     ^ name              ^ arguments: dropped, they differ from goroutine to goroutine
 *     	/src/main.go:21 +0x35 fp=0xc0007e5090 sp=0xc0007e5070 pc=0xc9e676
 *      ^ place        ^ dropped for the same reason
 *
 * Names and places are interned by their bytes. Nearly every place belongs to one function, so the frame of a place
 * is remembered with the name it had last.
 */
import { decimal, digitsEnd, HexNumber, hexDigit, isDigit, startsWith } from '../../../base/byte-scan.ts';
import type { DumpBuilder } from './dump-builder.ts';
import { FrameGuesser } from './frame-guess.ts';
import { ByteInterner } from './interners.ts';

/** Where the place in bytes[start, end) ends: before ` +0x35`, ` fp=0x1 sp=0x2 pc=0x3` or ` pc=0x3`. */
export function placeEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  for (;;) {
    let i = at;
    while (i > start && hexDigit(bytes[i - 1]) >= 0) i--;
    if (i === at || i - start < 3 || bytes[i - 1] !== 0x78 || bytes[i - 2] !== 0x30) return at;
    if (bytes[i - 3] === 0x2b && bytes[i - 4] === 0x20) return Math.max(i - 4, start);
    if (bytes[i - 3] !== 0x3d) return at;
    let key = i - 3;
    while (key > start && bytes[key - 1] >= 97 && bytes[key - 1] <= 122) key--;
    if (key === start) return start;
    if (bytes[key - 1] !== 0x20) return at;
    at = key - 1;
  }
}

/** Splits `FILE:LINE`; undefined when there is no line number. File names may hold colons and spaces. */
export function splitPlace(
  bytes: Uint8Array,
  start: number,
  end: number,
): { fileEnd: number; line: number } | undefined {
  let digits = end;
  while (digits > start && isDigit(bytes[digits - 1])) digits--;
  if (digits === end || digits - 1 <= start || bytes[digits - 1] !== 0x3a) return undefined;
  return { fileEnd: digits - 1, line: decimal(bytes, digits, end) };
}

/** The offset of the `(` that opens the arguments of a call line, or -1. Arguments never hold parentheses. */
export function argumentsStart(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[end - 1] !== 0x29) return -1;
  let at = end - 2;
  while (at > start && bytes[at] !== 0x28) at--;
  return at > start ? at : -1;
}

/** In arguments, as the runtime prints them: `{0x4991f4?, ...}, _, 0x2a`. */
const IN_ARGUMENTS: Uint8Array = bytesOf('0123456789abcdefx{}?,._ ');

/**
 * Whether bytes[start, end) can be a call, with its arguments at `open`. When two processes write to one stderr, a log
 * line may come between a call and its place, and end in a parenthesis too.
 */
export function isCall(bytes: Uint8Array, start: number, open: number, end: number): boolean {
  if (open < 0) return false;
  for (let i = open + 1; i < end - 1; i++) if (IN_ARGUMENTS[bytes[i]] === 0) return false;
  let [depth, dots] = [0, 0];
  for (let i = start; i < open; i++) {
    const byte = bytes[i];
    if (byte === 0x7b || byte === 0x5b || byte === 0x28) depth++;
    else if (byte === 0x7d || byte === 0x5d || byte === 0x29) depth--;
    else if (byte === 0x2e) dots++;
    // Names of unnamed structs and of type arguments hold spaces, but only in brackets.
    else if (byte <= 0x20 && depth === 0) return false;
  }
  return depth === 0 && (dots > 0 || startsWith(bytes, 'panic', start, open));
}

function bytesOf(text: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const char of text) table[char.charCodeAt(0)] = 1;
  return table;
}

/** Whether the arguments are `(...)`, as the runtime prints them for an inlined call. */
export function isInlined(bytes: Uint8Array, open: number, end: number): boolean {
  return end - open === 5 && bytes[open + 1] === 0x2e && bytes[open + 2] === 0x2e && bytes[open + 3] === 0x2e;
}

export class FrameReader {
  readonly guesser: FrameGuesser;
  private readonly builder: DumpBuilder;
  private readonly bytes: Uint8Array;
  private readonly names: ByteInterner;
  private readonly nameString: number[] = [];
  private readonly places: ByteInterner;
  /** String index of the place's file; -1 when the place cannot be read. */
  private readonly placeFile: number[] = [];
  private readonly placeLine: number[] = [];
  private readonly lastKey: number[] = [];
  private readonly lastFrame: number[] = [];
  private readonly hex = new HexNumber();

  constructor(builder: DumpBuilder) {
    this.builder = builder;
    this.bytes = builder.scanner.bytes;
    this.guesser = new FrameGuesser(builder.scanner);
    this.names = new ByteInterner(builder.scanner);
    this.places = new ByteInterner(builder.scanner);
  }

  /** The frame with this name and place, or -1 when the place cannot be read. */
  frame(nameStart: number, nameEnd: number, inlined: boolean, placeStart: number, placeEnd: number): number {
    const place = this.places.intern(placeStart, placeEnd);
    if (place === this.placeFile.length) this.addPlace(placeStart, placeEnd);
    const name = this.names.intern(nameStart, nameEnd);
    if (name === this.nameString.length) {
      this.nameString.push(this.builder.strings.internRange(nameStart, nameEnd));
    }
    const key = name * 2 + (inlined ? 1 : 0);
    if (this.lastKey[place] === key) return this.lastFrame[place];
    const file = this.placeFile[place];
    if (file < 0) return -1;
    const frame = this.builder.internFrame(this.nameString[name], file, this.placeLine[place], inlined);
    this.guesser.learn(frame, nameStart, nameEnd, inlined, placeStart, placeEnd);
    this.lastKey[place] = key;
    this.lastFrame[place] = frame;
    return frame;
  }

  /** A frame with nothing known but its name. */
  nameOnly(start: number, end: number, inlined: boolean): number {
    return this.builder.internFrame(this.builder.strings.internRange(start, end), 0, 0, inlined);
  }

  /** Whether the line is the second one of a cgo frame: it ends in `pc=0x1`, and not in `+0x1 pc=0x1`. */
  isCgo(start: number, newline: number): boolean {
    const end = this.bytes[newline - 1] === 13 ? newline - 1 : newline;
    const pc = this.registerStart('pc=0x', start, end);
    // A dump of a crash ends the place of a Go call with `fp=0x1 sp=0x2 pc=0x3`.
    return pc >= 0 && this.registerStart('sp=0x', start, pc - 1) < 0;
  }

  /** Where `pc=0x1` begins if the text ends with it, else -1. */
  private registerStart(name: string, start: number, end: number): number {
    let digits = end;
    while (digits > start && hexDigit(this.bytes[digits - 1]) >= 0) digits--;
    const at = digits - name.length;
    return digits < end && at >= start && startsWith(this.bytes, name, at, end) ? at : -1;
  }

  /** A cgo frame: `pc=0x1` follows the place, which may be missing. -1 when there is no pc. */
  cgo(nameStart: number, nameEnd: number, start: number, end: number): number {
    const at = placeEnd(this.bytes, start, end);
    const pcStart = at === start ? start : at + 1;
    if (end - pcStart < 6 || this.bytes[pcStart] !== 0x70 || this.bytes[pcStart + 2] !== 0x3d) return -1;
    if (this.hex.read(this.bytes, pcStart + 3, end) !== end) return -1;
    const { strings } = this.builder;
    const place = splitPlace(this.bytes, start, at);
    if (place === undefined && at > start) return -1;
    const file = place === undefined ? 0 : strings.internRange(start, place.fileEnd);
    return this.builder.internFrame(strings.internRange(nameStart, nameEnd), file, place?.line ?? 0, false, this.hex);
  }

  private addPlace(start: number, end: number): void {
    const place = splitPlace(this.bytes, start, end);
    this.placeFile.push(place === undefined ? -1 : this.builder.strings.internRange(start, place.fileEnd));
    this.placeLine.push(place === undefined ? 0 : place.line);
    this.lastKey.push(-1);
    this.lastFrame.push(-1);
  }
}

const IN_GOROUTINE = ' in goroutine ';

/** Splits `FUNC in goroutine 7`; the goroutine is -1 before Go 1.21. */
export function splitCreator(bytes: Uint8Array, start: number, end: number): { nameEnd: number; goroutine: number } {
  let digits = end;
  while (digits > start && isDigit(bytes[digits - 1])) digits--;
  const nameEnd = digits - IN_GOROUTINE.length;
  if (digits === end || nameEnd <= start) return { nameEnd: end, goroutine: -1 };
  for (let i = 0; i < IN_GOROUTINE.length; i++) {
    if (bytes[nameEnd + i] !== IN_GOROUTINE.charCodeAt(i)) return { nameEnd: end, goroutine: -1 };
  }
  return { nameEnd, goroutine: decimal(bytes, digits, end) };
}

/** The number in `...81 frames elided...`, 0 for `...additional frames elided...`, -1 when it is neither. */
export function elidedFrames(bytes: Uint8Array, start: number, end: number): number {
  const digits = digitsEnd(bytes, start + 3, end);
  const rest = digits > start + 3 ? ' frames elided...' : 'additional frames elided...';
  if (end - digits !== rest.length) return -1;
  for (let i = 0; i < rest.length; i++) if (bytes[digits + i] !== rest.charCodeAt(i)) return -1;
  return decimal(bytes, start + 3, digits);
}
