/**
 * Reads count profiles as text: `/debug/pprof/goroutine?debug=1`, also goroutineleak, threadcreate and custom ones.
 *
 *     goroutine profile: total 485
 *     20 @ 0x438b96 0x4062db 0x4eb13e 0x464ec1
 *     # labels: {"controller":"kcp-kube-quota", "logicalcluster":"lc10"}
 *     #	0x4eb13d	main.(*listener).pop+0x1d	/src/leakdemo/main.go:22
 *
 * A row has fewer `#` lines than pcs, since leading runtime frames and runtime.goexit are hidden.
 */
import { FormatError } from '../../../base/errors.ts';
import { decodeText } from '../../../base/text.ts';
import { goroutineFlags, type GoroutineDump, type ProblemKind } from '../../goroutine-dump.ts';
import { decimal, digitsEnd, HexNumber, startsWith, textStart, type ByteScanner } from '../../../base/byte-scan.ts';
import { DumpBuilder } from './dump-builder.ts';
import { splitPlace } from './frame-lines.ts';
import { ByteInterner } from './interners.ts';
import { Row } from './row-columns.ts';

export function readDebug1(bytes: Uint8Array): GoroutineDump {
  return new Debug1Reader(bytes).read();
}

const TOTAL = ' profile: total ';
const LABELS = '# labels: ';

/** Splits `NAME profile: total N`. */
export function profileHeader(
  bytes: Uint8Array,
  start: number,
  end: number,
): { nameEnd: number; total: number } | undefined {
  let digits = end;
  while (digits > start && bytes[digits - 1] >= 48 && bytes[digits - 1] <= 57) digits--;
  const nameEnd = digits - TOTAL.length;
  if (digits === end || nameEnd <= start || !startsWith(bytes, TOTAL, nameEnd, end)) return undefined;
  for (let i = start; i < nameEnd; i++) if (bytes[i] <= 0x20) return undefined;
  return { nameEnd, total: decimal(bytes, digits, end) };
}

class Debug1Reader {
  private readonly bytes: Uint8Array;
  private readonly scanner: ByteScanner;
  private readonly end: number;
  private readonly builder: DumpBuilder;
  private readonly row = new Row();
  private readonly hex = new HexNumber();
  /** Whole lines, so that repeated ones are read once. */
  private readonly frameLines: ByteInterner;
  private readonly frameOfLine: number[] = [];
  private readonly pcTexts: ByteInterner;
  private readonly listOfText: number[] = [];
  private pcScratch = new Int32Array(256);
  private at = 0;
  private line = 1;
  private inRow = false;
  /** Where the last complete row ends. */
  private completeEnd = 0;
  private sectionSum = 0;
  /** By how much the counts fall short of the totals. */
  private lost = 0;
  private lastFrame = -1;

  constructor(bytes: Uint8Array) {
    this.builder = new DumpBuilder(bytes);
    this.bytes = bytes;
    this.scanner = this.builder.scanner;
    this.at = textStart(bytes);
    this.end = bytes.length;
    this.frameLines = new ByteInterner(this.scanner);
    this.pcTexts = new ByteInterner(this.scanner);
  }

  read(): GoroutineDump {
    const { builder, bytes } = this;
    if (this.end === 0) {
      builder.truncated = { reason: 'empty', offset: 0, line: 1, expected: 'profile header' };
      return builder.finish('debug1');
    }
    while (this.at < this.end) {
      const newline = this.scanner.newline(this.at);
      const lineEnd = newline > this.at && bytes[newline - 1] === 13 ? newline - 1 : newline;
      if (builder.sections.length > 0 && startsWith(bytes, '---', this.at, lineEnd)) break;
      this.readLine(this.at, lineEnd, newline === this.end);
      this.at = newline + 1;
      this.line++;
      if (!this.inRow && builder.truncated === undefined) this.completeEnd = Math.min(this.at, this.end);
    }
    const open = this.inRow;
    const coverage = open && this.lastRowIsShort();
    this.finishRow();
    this.finishSection();
    if (builder.sections.length === 0 && builder.truncated === undefined) {
      throw new FormatError('no profile found: expected a line like "goroutine profile: total 485"', {
        offset: 0,
        line: 1,
      });
    }
    if (coverage) this.truncate('mid-goroutine', 'profile frame');
    else if (this.lost > 0) this.truncate('short-total', 'profile row');
    if (builder.truncated !== undefined && this.lost > 0) {
      builder.truncated = { ...builder.truncated, lostGoroutines: this.lost };
    }
    return builder.finish('debug1');
  }

  private readLine(start: number, end: number, isLast: boolean): void {
    const { bytes } = this;
    const first = bytes[start];
    if (start === end) this.finishRow();
    else if (first === 0x23) this.comment(start, end, isLast);
    else if (first >= 48 && first <= 57 && this.builder.sections.length > 0) this.beginRow(start, end, isLast);
    else {
      const header = profileHeader(bytes, start, end);
      if (header !== undefined) {
        this.finishRow();
        this.finishSection();
        this.builder.sections.push({
          firstRow: this.builder.rows.length,
          name: decodeText(bytes, start, header.nameEnd),
          declaredTotal: header.total,
        });
        // Without its newline the total may lack digits.
        if (isLast) this.truncate('mid-line', 'profile row');
      } else if (isLast && this.mayBeCutHeader(start, end)) this.truncate('mid-line', 'profile header');
      else if (this.builder.sections.length > 0) this.bad('profile row', start, end, isLast);
    }
  }

  private beginRow(start: number, end: number, isLast: boolean): void {
    const { bytes, builder, row } = this;
    this.finishRow();
    const digits = digitsEnd(bytes, start, end);
    const list = startsWith(bytes, ' @', digits, end) && !isLast ? this.pcList(digits + 2, end) : -1;
    if (list < 0) {
      this.bad('profile row', start, end, isLast);
      return;
    }
    this.inRow = true;
    row.count = Math.min(decimal(bytes, start, digits), 0xffffffff);
    row.labels = 0;
    row.flags = 0;
    this.lastFrame = -1;
    builder.beginStack();
    builder.setPcList(list);
  }

  /** Reads ` 0x1 0x2 ...`; -1 when it is not that. */
  private pcList(start: number, end: number): number {
    const { bytes, hex } = this;
    const text = this.pcTexts.intern(start, end);
    if (text < this.listOfText.length) return this.listOfText[text];
    let size = 0;
    let at = start;
    while (at < end && bytes[at] === 0x20) {
      at = hex.read(bytes, at + 1, end);
      if (at < 0) break;
      if (size === this.pcScratch.length) {
        const wider = new Int32Array(size * 2);
        wider.set(this.pcScratch);
        this.pcScratch = wider;
      }
      this.pcScratch[size++] = hex.lo;
      this.pcScratch[size++] = hex.hi;
    }
    this.listOfText.push(at === end ? this.builder.pcLists.intern(this.pcScratch, size) : -1);
    return this.listOfText[text];
  }

  /** A line that starts with `#`: labels, a frame, or a remark. */
  private comment(start: number, end: number, isLast: boolean): void {
    const { bytes, builder } = this;
    if (!this.inRow) return;
    if (startsWith(bytes, LABELS, start, end)) {
      this.readLabels(start, end, isLast);
    } else if (bytes[start + 1] === 9 || startsWith(bytes, '0x', skipBlanks(bytes, start + 1, end), end)) {
      const id = this.frameLines.intern(start, end);
      if (id === this.frameOfLine.length) this.frameOfLine.push(this.frame(start + 1, end));
      const frame = this.frameOfLine[id];
      // Without its newline the line number may lack digits.
      if (frame < 0 || isLast) this.bad('profile frame', start, end, isLast);
      else {
        builder.pushFrame(frame);
        this.lastFrame = id;
      }
    } else if (isLast) this.bad('profile frame', start, end, isLast);
  }

  private readLabels(start: number, end: number, isLast: boolean): void {
    const { labels } = this.builder;
    const set = labels.read(start + LABELS.length, end);
    if (set < 0 || labels.endOffset !== end) this.bad('labels', start, end, isLast);
    else this.row.labels = set;
  }

  /** Reads `\t0x1\tFUNC+0x2\tFILE:LINE`, or just `\t0x1`; the frame or -1. */
  private frame(start: number, end: number): number {
    const { bytes, builder, hex } = this;
    let at = skipBlanks(bytes, start, end);
    at = hex.read(bytes, at, end);
    if (at < 0) return -1;
    const pc = { lo: hex.lo, hi: hex.hi };
    if (at === end) return builder.internFrame(0, 0, 0, false, pc);
    const nameStart = skipBlanks(bytes, at, end);
    // Names of methods of unnamed structs hold spaces, so spaces separate only where tabs were expanded.
    const separator = bytes[at] === 9 ? 9 : 0x20;
    let nameEnd = nameStart;
    while (nameEnd < end && bytes[nameEnd] !== separator) nameEnd++;
    const fileStart = skipBlanks(bytes, nameEnd, end);
    let plus = nameEnd;
    while (plus > nameStart && bytes[plus] !== 0x2b) plus--;
    const place = splitPlace(bytes, fileStart, end);
    if (nameStart === at || plus === nameStart || place === undefined) return -1;
    if (hex.read(bytes, plus + 1, nameEnd) !== nameEnd) return -1;
    const { strings } = builder;
    const fn = strings.internRange(nameStart, plus);
    return builder.internFrame(fn, strings.internRange(fileStart, place.fileEnd), place.line, false, pc, hex.lo);
  }

  private finishRow(): void {
    if (!this.inRow) return;
    this.inRow = false;
    this.row.stack = this.builder.finishStack();
    this.builder.rows.add(this.row);
    this.sectionSum += this.row.count;
  }

  private finishSection(): void {
    const section = this.builder.sections.at(-1);
    const total = section?.declaredTotal;
    if (total !== undefined) {
      if (this.sectionSum < total) this.lost += total - this.sectionSum;
      else if (this.sectionSum > total) this.builder.problem('total', this.line, this.at, this.at);
    }
    this.sectionSum = 0;
  }

  /** Whether the last frame printed is not that of the last pc but one: the last is runtime.goexit, which is hidden. */
  private lastRowIsShort(): boolean {
    const list = this.builder.pcListItems();
    if (this.builder.truncated !== undefined || list.length === 0) return false;
    if (this.lastFrame < 0) return true;
    const start = this.frameLines.startOf(this.lastFrame);
    const { bytes, hex } = this;
    if (hex.read(bytes, skipBlanks(bytes, start + 1, this.end), this.end) < 0) return false;
    for (let i = Math.max(0, list.length - 4); i < list.length; i += 2) {
      if ((list[i] - 1) >>> 0 === hex.lo || list[i] >>> 0 === hex.lo) return false;
    }
    return true;
  }

  private bad(kind: ProblemKind, start: number, end: number, isLast: boolean): void {
    if (isLast) {
      this.row.flags |= goroutineFlags.cut;
      this.truncate('mid-line', kind);
      return;
    }
    this.row.flags |= goroutineFlags.damaged;
    this.builder.problem(kind, this.line, start, end);
  }

  private truncate(reason: 'mid-line' | 'mid-goroutine' | 'short-total', expected: ProblemKind): void {
    if (this.builder.truncated !== undefined) return;
    const offset = reason === 'short-total' ? this.end : this.completeEnd;
    this.builder.truncated = { reason, offset, line: this.line, expected };
  }

  /** Whether the last line, without a newline, can be the beginning of a profile's header. */
  private mayBeCutHeader(start: number, end: number): boolean {
    if (this.builder.sections.length > 0) return false;
    let space = start;
    while (space < end && isPrintable(this.bytes[space])) space++;
    const rest = Math.min(TOTAL.length, end - space);
    return start < end && startsWith(this.bytes, TOTAL.slice(0, rest), space, end);
  }
}

function isPrintable(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}

/** Columns are separated by tabs, or by spaces where a log pipeline expanded them. */
function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === 9 || bytes[at] === 0x20)) at++;
  return at;
}

/** The number in the first line of debug=1: `goroutine profile: total 5529`. */
export function goroutineTotal(content: Uint8Array): number | undefined {
  const match = /^goroutine profile: total (\d{1,15})\s/.exec(decodeText(content.subarray(0, 100)));
  return match === null ? undefined : Number(match[1]);
}
