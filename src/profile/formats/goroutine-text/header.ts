/**
 * The first line of a goroutine in a debug=2 dump:
 *
 *     goroutine 18 gp=0xc000102700 m=3 mp=0xc000100008 [chan receive (leaked), 5 minutes, locked to thread] {k: v}:
 *     ^ id         ^ threads (fatal dumps)             ^ tail
 *
 * Few of thousands of goroutines have a tail of their own, so tails are interned and each distinct one is read once.
 */
import { goroutineFlags } from '../../goroutine-dump.ts';
import { STATE_MARKS } from '../../wait-reasons.ts';
import { decimal, digitsEnd, endsWith, HexNumber, startsWith } from '../../../base/byte-scan.ts';
import type { DumpBuilder } from './dump-builder.ts';
import { ByteInterner } from './interners.ts';
import type { Row } from './row-columns.ts';

const PREFIX = 'goroutine ';

interface Tail {
  readonly state: number;
  readonly waitMinutes: number;
  readonly flags: number;
  readonly bubble: number;
  readonly labels: number;
}

/** Go 1.24 has a name of its own for (durable). */
const MARKS = [...STATE_MARKS, [' (synctest)', goroutineFlags.durable] as const];

/** `goroutine N `: worth a closer look. */
export function looksLikeHeader(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] !== 0x67 || !startsWith(bytes, PREFIX, start, end)) return false;
  const at = start + PREFIX.length;
  const afterId = digitsEnd(bytes, at, end);
  if (afterId === at || bytes[afterId] !== 0x20) return false;
  return bytes[afterId + 1] === 0x5b || startsWith(bytes, 'gp=', afterId + 1, end);
}

/** Whether the last line can be the beginning of a header. */
export function mayBeCutHeader(bytes: Uint8Array, start: number, end: number): boolean {
  const size = Math.min(PREFIX.length, end - start);
  return size > 0 && startsWith(bytes, PREFIX.slice(0, size), start, end);
}

export class HeaderReader {
  private readonly builder: DumpBuilder;
  private readonly bytes: Uint8Array;
  private readonly tailIds: ByteInterner;
  private readonly tails: (Tail | undefined)[] = [];
  private readonly hex = new HexNumber();

  constructor(builder: DumpBuilder) {
    this.builder = builder;
    this.bytes = builder.scanner.bytes;
    this.tailIds = new ByteInterner(builder.scanner);
  }

  /** Reads the header in bytes[start, end) into the row; false when it is not one. */
  read(row: Row, start: number, end: number, line: number): boolean {
    const bytes = this.bytes;
    if (!looksLikeHeader(bytes, start, end)) return false;
    const idStart = start + PREFIX.length;
    const idEnd = digitsEnd(bytes, idStart, end);
    let at = idEnd + 1;
    row.hasThread = false;
    if (bytes[at] !== 0x5b) {
      at = this.threads(row, at, end);
      if (at < 0) return false;
    }
    const id = this.tailIds.intern(at, end);
    if (id === this.tails.length) this.tails.push(this.tail(at, end, line));
    const tail = this.tails[id];
    if (tail === undefined) return false;
    row.id = decimal(bytes, idStart, idEnd);
    row.state = tail.state;
    row.waitMinutes = tail.waitMinutes;
    row.flags = tail.flags;
    row.bubble = tail.bubble;
    row.labels = tail.labels;
    return true;
  }

  /** Reads `gp=0x1 m=2 mp=0x3 ` or `gp=0x1 m=nil `; the offset behind it or -1. */
  private threads(row: Row, from: number, end: number): number {
    const { bytes, hex } = this;
    let at = hex.read(bytes, from + 3, end);
    if (at < 0 || !startsWith(bytes, ' m=', at, end)) return -1;
    row.hasThread = true;
    row.gpLo = hex.lo;
    row.gpHi = hex.hi;
    row.m = -1;
    row.mpLo = 0;
    row.mpHi = 0;
    at += 3;
    if (startsWith(bytes, 'nil', at, end)) {
      at += 3;
    } else {
      const afterM = digitsEnd(bytes, at, end);
      if (afterM === at || !startsWith(bytes, ' mp=', afterM, end)) return -1;
      row.m = Math.min(decimal(bytes, at, afterM), 0x7fffffff);
      at = hex.read(bytes, afterM + 4, end);
      if (at < 0) return -1;
      row.mpLo = hex.lo;
      row.mpHi = hex.hi;
    }
    return bytes[at] === 0x20 && bytes[at + 1] === 0x5b ? at + 1 : -1;
  }

  /** Reads `[state, attributes] {labels}:`. */
  private tail(open: number, end: number, line: number): Tail | undefined {
    const { bytes, builder } = this;
    let at = this.attributeEnd(open + 1, end);
    let stateEnd = at;
    let flags = 0;
    for (let found = true; found;) {
      found = false;
      for (const [mark, flag] of MARKS) {
        if (!endsWith(bytes, mark, open + 1, stateEnd)) continue;
        stateEnd -= mark.length;
        flags |= flag;
        found = true;
      }
    }
    const state = builder.strings.internRange(open + 1, stateEnd);
    let waitMinutes = -1;
    let bubble = 0;
    const unknown: number[] = [];
    while (bytes[at] === 0x2c && at < end) {
      const start = bytes[at + 1] === 0x20 ? at + 2 : at + 1;
      at = this.attributeEnd(start, end);
      const digits = digitsEnd(bytes, start, at);
      if (digits > start && startsWith(bytes, ' minutes', digits, at)) {
        waitMinutes = Math.min(decimal(bytes, start, digits), 0x7fffffff);
      } else if (startsWith(bytes, 'locked to thread', start, at)) {
        flags |= goroutineFlags.lockedToThread;
      } else if (startsWith(bytes, 'synctest ', start, at)) {
        let number = at;
        while (bytes[number - 1] >= 48 && bytes[number - 1] <= 57) number--;
        bubble = Math.min(decimal(bytes, number, at), 0xffffffff);
      } else {
        unknown.push(start, at);
      }
    }
    let labels = 0;
    if (startsWith(bytes, ' labels:{', at, end)) {
      labels = builder.labels.read(at + 8, end);
      at = builder.labels.endOffset;
    }
    if (labels < 0 || bytes[at] !== 0x5d || at >= end) return undefined;
    at++;
    if (startsWith(bytes, ' {', at, end)) {
      labels = builder.labels.read(at + 1, end);
      at = builder.labels.endOffset;
    }
    if (labels < 0 || bytes[at] !== 0x3a || at >= end) return undefined;
    at++;
    while (at < end && bytes[at] === 0x20) at++;
    if (at !== end) return undefined;
    for (let i = 0; i < unknown.length; i += 2) builder.problem('header attribute', line, unknown[i], unknown[i + 1]);
    return { state, waitMinutes, flags, bubble, labels };
  }

  /** The end of the state or attribute that starts here: before a comma, a bracket or ` labels:{`. */
  private attributeEnd(start: number, end: number): number {
    const bytes = this.bytes;
    let at = start;
    while (at < end && bytes[at] !== 0x2c && bytes[at] !== 0x5d) {
      if (bytes[at] === 0x20 && startsWith(bytes, ' labels:{', at, end)) break;
      at++;
    }
    return at;
  }
}
