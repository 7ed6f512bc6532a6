/**
 * Reads goroutine dumps with full stacks: `/debug/pprof/goroutine?debug=2`, runtime.Stack, panics, fatal errors and
 * SIGQUIT, of Go 1.19 to 1.27.
 *
 *     const dump = readDebug2(bytes);
 *     dump.goroutines.length, dump.strings[dump.goroutines.state[0]]
 *
 * Text around the goroutines (prologue, registers, log lines) is skipped. A goroutine with an unreadable line keeps
 * what could be read and is flagged; the line is reported in `problems`.
 */
import { FormatError } from '../../../base/errors.ts';
import { goroutineFlags, type GoroutineDump, type ProblemKind } from '../../goroutine-dump.ts';
import { decimal, digitsEnd, startsWith, textStart, type ByteScanner } from '../../../base/byte-scan.ts';
import { DumpBuilder } from './dump-builder.ts';
import { argumentsStart, elidedFrames, FrameReader, isCall, isInlined, placeEnd, splitCreator } from './frame-lines.ts';
import { HeaderReader, looksLikeHeader, mayBeCutHeader } from './header.ts';
import { Row } from './row-columns.ts';

/** Splits a file that holds several dumps: within one, no goroutine id occurs twice. */
const MAX_PROBES = 64;

/**
 * Log lines inside a goroutine. Two processes with one stderr, or a program that logs while it dumps, interleave them:
 *
 *     main.f(0x1)
 *     E1116 06:00:00.1 1 sync.go:2] "Could not sync" err="(attempt 2)"
 *     	/src/m.go:7 +0x1
 *
 * More lines than that are no interruption.
 */
const MAX_LINES = 50;

/** Where net/http/pprof cuts a debug=2 dump. */
export const DEBUG2_SIZE_LIMIT: number = 64 << 20;

export interface Debug2Options {
  /** How many goroutines the process had, if known from elsewhere: then it is known how many a cut dump lost. */
  readonly expectedGoroutines?: number;
}

export function readDebug2(bytes: Uint8Array, options: Debug2Options = {}): GoroutineDump {
  return new Debug2Reader(bytes, options).read();
}

const CREATED_BY = 'created by ';
const ORIGINATING = '[originating from goroutine ';
const UNAVAILABLE = 'goroutine running on other thread; stack unavailable';
const NON_GO_AT = 'non-Go function at pc=';

class Debug2Reader {
  private readonly bytes: Uint8Array;
  private readonly scanner: ByteScanner;
  private readonly end: number;
  private readonly builder: DumpBuilder;
  private readonly header: HeaderReader;
  private readonly frames: FrameReader;
  private readonly options: Debug2Options;
  private readonly row = new Row();
  private at = 0;
  /** 1-based number of the line at `at`. */
  private line = 1;
  /** Where the last complete goroutine ends. */
  private completeEnd = 0;
  /** The ancestor being read, or -1 while it is the goroutine itself. */
  private ancestor = -1;
  private creator = -1;
  private creatorGoroutine = -1;
  private createdBySeen = false;
  private cut = false;
  /** The frame above in the stack, -1 at its top. */
  private previous = -1;

  constructor(bytes: Uint8Array, options: Debug2Options) {
    this.builder = new DumpBuilder(bytes);
    this.bytes = bytes;
    this.scanner = this.builder.scanner;
    this.at = textStart(bytes);
    this.end = bytes.length;
    this.header = new HeaderReader(this.builder);
    this.frames = new FrameReader(this.builder);
    this.options = options;
  }

  read(): GoroutineDump {
    while (this.at < this.end) {
      const newline = this.scanner.newline(this.at);
      const lineEnd = this.trimmed(this.at, newline);
      if (this.header.read(this.row, this.at, lineEnd, this.line)) {
        this.advance(newline);
        this.goroutine();
      } else {
        if (newline === this.end && mayBeCutHeader(this.bytes, this.at, lineEnd))
          this.truncate('goroutine header', true);
        else if (looksLikeHeader(this.bytes, this.at, lineEnd)) {
          this.builder.problem('goroutine header', this.line, this.at, lineEnd);
        }
        this.advance(newline);
      }
    }
    if (this.end === 0) this.builder.truncated = { reason: 'empty', offset: 0, line: 1, expected: 'goroutine header' };
    else if (this.builder.rows.length === 0 && this.builder.truncated === undefined) {
      throw new FormatError('no goroutine found: expected a line like "goroutine 1 [running]:"', {
        offset: 0,
        line: 1,
      });
    }
    // Even when the cut falls between two goroutines.
    else if (this.end === DEBUG2_SIZE_LIMIT && this.builder.truncated === undefined) this.truncate('anything', false);
    addSections(this.builder);
    return this.builder.finish('debug2');
  }

  /** Reads the lines of a goroutine behind its header. */
  private goroutine(): void {
    const { bytes, builder, row } = this;
    row.ancestorStart = builder.ancestorCount;
    row.creator = -1;
    row.creatorGoroutine = -1;
    this.ancestor = -1;
    this.beginStack();
    let blank = false;
    while (this.at < this.end) {
      const first = bytes[this.at];
      if (first === 10 || (first === 13 && (this.at + 1 === this.end || bytes[this.at + 1] === 10))) {
        this.advance(this.scanner.newline(this.at));
        blank = true;
        break;
      }
      if (first === 0x5b && startsWith(bytes, ORIGINATING, this.at, this.end)) this.originating();
      else if (this.createdBySeen) break;
      else if (first === 0x67 && looksLikeHeader(bytes, this.at, this.end)) break;
      else if (first === 0x63 && startsWith(bytes, CREATED_BY, this.at, this.end)) this.createdBy();
      else if (first === 0x2e && startsWith(bytes, '...', this.at, this.end)) this.elided();
      else if (first === 0x2d && startsWith(bytes, '-----', this.at, this.end)) break;
      else if (first === 9 || first === 0x20) this.indented();
      else if (!this.call()) break;
      if (this.cut) break;
    }
    this.finishGoroutine(blank);
  }

  private finishGoroutine(blank: boolean): void {
    const { builder, row } = this;
    const empty = this.ancestor < 0 && builder.stackDepth === 0 && (row.flags & goroutineFlags.stackUnavailable) === 0;
    const atEnd = this.at >= this.end && !blank;
    const owner = this.ancestor < 0 ? row.id : this.ancestor;
    // Every goroutine but the first and the scheduler's was created by another.
    if (atEnd && !this.cut && (empty || (!this.createdBySeen && owner > 1))) this.truncate('function call', false);
    else if (empty && !this.createdBySeen && !atEnd && (row.flags & goroutineFlags.damaged) === 0) {
      row.flags |= goroutineFlags.damaged;
      builder.problem('function call', blank ? this.line - 1 : this.line, 0, 0);
    }
    if (this.cut) row.flags |= goroutineFlags.cut;
    this.finishStack();
    builder.rows.add(row);
    if (!this.cut) this.completeEnd = this.at;
    this.reportLost();
    this.cut = false;
  }

  private beginStack(): void {
    this.builder.beginStack();
    this.previous = -1;
    this.creator = -1;
    this.creatorGoroutine = -1;
    this.createdBySeen = false;
  }

  /** Hands the stack read so far to the goroutine or the ancestor it belongs to. */
  private finishStack(): void {
    const stack = this.builder.finishStack();
    if (this.ancestor < 0) {
      this.row.stack = stack;
      this.row.creator = this.creator;
      this.row.creatorGoroutine = this.creatorGoroutine;
    } else {
      this.builder.addAncestor(this.ancestor, stack, this.creator, this.creatorGoroutine);
    }
  }

  /** Reads a call and its place. False when the line belongs to no goroutine. */
  private call(): boolean {
    const { bytes, scanner, frames } = this;
    const start = this.at;
    const { guesser } = frames;
    const { previous } = this;
    const guess = previous < 0 ? guesser.matchFirst(this.row.state, start) : guesser.matchNext(previous, start);
    if (guess >= 0) {
      this.previous = guess;
      this.builder.pushFrame(guess);
      this.line++;
      this.advance(guesser.newline);
      return true;
    }
    const newline = scanner.newline(start);
    const callEnd = this.trimmed(start, newline);
    if (newline === this.end) return this.cutLine('function call');
    const open = argumentsStart(bytes, start, callEnd);
    const inlined = open >= 0 && isInlined(bytes, open, callEnd);
    const nameEnd = open < 0 ? callEnd : open;
    const place = newline + 1;
    const indented = bytes[place] === 9 || bytes[place] === 0x20;
    const isGo = isCall(bytes, start, open, callEnd);
    if (!isGo && (indented ? !frames.isCgo(place, scanner.newline(place)) : open >= 0))
      return this.stray(newline, callEnd);
    if (!indented) return this.callWithoutPlace(open, inlined, newline, callEnd);

    let placeStart = place + 1;
    while (bytes[placeStart] === 9 || bytes[placeStart] === 0x20) placeStart++;
    const placeNewline = scanner.newline(placeStart);
    const lineEnd = this.trimmed(placeStart, placeNewline);
    const end = placeEnd(bytes, placeStart, lineEnd);
    let frame = -1;
    // A place without `+0x1` at the very end may have lost digits of its line number.
    const unsure = placeNewline === this.end && end === lineEnd;
    if (!unsure) {
      const cgo = open < 0 || end === placeStart || (bytes[end + 1] === 0x70 && end < lineEnd);
      frame = cgo
        ? frames.cgo(start, callEnd, placeStart, lineEnd)
        : frames.frame(start, nameEnd, inlined, placeStart, end);
    }
    if (frame < 0) {
      if (placeNewline === this.end) {
        this.advance(newline);
        return this.cutLine('file:line ref');
      }
      this.row.flags |= goroutineFlags.damaged;
      if (open < 0) this.builder.problem('function call', this.line, start, callEnd);
      else this.builder.problem('file:line ref', this.line + 1, place, lineEnd);
      if (open >= 0) this.builder.pushFrame(frames.nameOnly(start, nameEnd, inlined));
    } else {
      this.builder.pushFrame(frame);
      if (previous < 0) guesser.begin(this.row.state, frame);
      else guesser.follow(previous, frame);
      this.previous = frame;
    }
    this.line++;
    this.advance(placeNewline);
    return true;
  }

  private callWithoutPlace(open: number, inlined: boolean, newline: number, callEnd: number): boolean {
    const { bytes, builder, frames } = this;
    const start = this.at;
    if (startsWith(bytes, NON_GO_AT, start, callEnd)) {
      const name = start + NON_GO_AT.length - ' at pc='.length;
      const frame = frames.cgo(start, name, name + ' at '.length, callEnd);
      if (frame >= 0) builder.pushFrame(frame);
      else this.damaged('function call', start, callEnd);
      this.advance(newline);
      return true;
    }
    if (open < 0) {
      if (startsWith(bytes, 'exit status ', start, callEnd)) return false;
      this.damaged('function call', start, callEnd);
      this.advance(newline);
      return true;
    }
    if (this.callAcrossLog(open, inlined, newline)) return true;
    // A cut frame is left out, so that the rest can be compared with the same stack uncut.
    if (newline + 1 < this.end) builder.pushFrame(frames.nameOnly(start, open, inlined));
    this.advance(newline);
    this.missingPlace();
    return true;
  }

  /** Reads a call whose place stands behind log lines; false when there is none. */
  private callAcrossLog(open: number, inlined: boolean, newline: number): boolean {
    const { bytes, scanner } = this;
    const place = placeBehindLog(scanner, newline + 1);
    if (place < 0) return false;
    const end = placeEnd(bytes, place + 1, this.trimmed(place, scanner.newline(place)));
    const frame = this.frames.frame(this.at, open, inlined, place + 1, end);
    if (frame < 0) return false;
    this.builder.pushFrame((this.previous = frame));
    for (this.advance(newline); this.at < place;) this.stray(scanner.newline(this.at), scanner.newline(this.at));
    return true;
  }

  /** A line that no dump has, with the place of whatever it was. */
  private stray(newline: number, lineEnd: number): true {
    this.damaged('function call', this.at, lineEnd);
    this.advance(newline);
    const next = this.scanner.newline(this.at);
    if (this.bytes[this.at] === 9 && next < this.end) this.advance(next);
    return true;
  }

  private createdBy(): void {
    const { bytes, scanner, frames } = this;
    const nameStart = this.at + CREATED_BY.length;
    const newline = scanner.newline(nameStart);
    if (newline === this.end) return void this.cutLine('function call');
    const { nameEnd, goroutine } = splitCreator(bytes, nameStart, this.trimmed(nameStart, newline));
    this.createdBySeen = true;
    this.creatorGoroutine = goroutine;
    this.advance(newline);
    const { guesser } = frames;
    const guess = guesser.matchCreator(this.previous, nameStart, nameEnd, this.at);
    if (guess >= 0) {
      this.creator = guess;
      this.advance(guesser.newline);
      return;
    }
    let placeStart = this.at;
    while (bytes[placeStart] === 9 || bytes[placeStart] === 0x20) placeStart++;
    if (placeStart === this.at || placeStart >= this.end) {
      this.creator = frames.nameOnly(nameStart, nameEnd, false);
      if (placeStart > this.at) this.cutLine('file:line ref');
      else this.missingPlace();
      return;
    }
    const placeNewline = scanner.newline(placeStart);
    const lineEnd = this.trimmed(placeStart, placeNewline);
    const end = placeEnd(bytes, placeStart, lineEnd);
    const unsure = placeNewline === this.end && end === lineEnd;
    this.creator = unsure ? -1 : frames.frame(nameStart, nameEnd, false, placeStart, end);
    if (this.creator < 0) {
      this.creator = frames.nameOnly(nameStart, nameEnd, false);
      if (placeNewline === this.end) return void this.cutLine('file:line ref');
      this.damaged('file:line ref', this.at, lineEnd);
    }
    guesser.createdBy(this.previous, this.creator);
    this.advance(placeNewline);
  }

  /** A call has no place: the input ends here, or another line stands where it should be. */
  private missingPlace(): void {
    if (this.at >= this.end) {
      this.truncate('file:line ref', false);
      return;
    }
    this.damaged('file:line ref', this.at, this.trimmed(this.at, this.scanner.newline(this.at)));
  }

  private originating(): void {
    const { bytes } = this;
    const start = this.at + ORIGINATING.length;
    const newline = this.scanner.newline(start);
    const digits = digitsEnd(bytes, start, newline);
    if (newline === this.end) return void this.cutLine('goroutine header');
    if (digits === start || bytes[digits] !== 0x5d) {
      this.damaged('goroutine header', this.at, this.trimmed(this.at, newline));
    } else {
      this.finishStack();
      this.ancestor = decimal(bytes, start, digits);
      this.beginStack();
    }
    this.advance(newline);
  }

  private elided(): void {
    const newline = this.scanner.newline(this.at);
    const lineEnd = this.trimmed(this.at, newline);
    const count = elidedFrames(this.bytes, this.at, lineEnd);
    if (count >= 0) {
      this.builder.elideFrames(count);
      if (this.ancestor < 0) this.row.flags |= goroutineFlags.framesElided;
    } else if (this.unreadable(newline, lineEnd)) return;
    this.advance(newline);
  }

  private indented(): void {
    const newline = this.scanner.newline(this.at);
    const lineEnd = this.trimmed(this.at, newline);
    if (startsWith(this.bytes, UNAVAILABLE, this.at + 1, lineEnd)) this.row.flags |= goroutineFlags.stackUnavailable;
    else if (this.unreadable(newline, lineEnd)) return;
    this.advance(newline);
  }

  /** True when the line is the last and was cut. */
  private unreadable(newline: number, lineEnd: number): boolean {
    if (newline === this.end) return this.cutLine('function call');
    this.damaged('function call', this.at, lineEnd);
    return false;
  }

  private damaged(kind: ProblemKind, start: number, end: number): void {
    this.row.flags |= goroutineFlags.damaged;
    this.builder.problem(kind, this.line, start, end);
  }

  /** The last line is incomplete. */
  private cutLine(expected: ProblemKind): true {
    this.truncate(expected, true);
    this.at = this.end;
    return true;
  }

  private truncate(expected: ProblemKind, midLine: boolean): void {
    this.cut = true;
    const reason = this.end === DEBUG2_SIZE_LIMIT ? 'size-limit' : midLine ? 'mid-line' : 'mid-goroutine';
    this.builder.truncated = { reason, offset: this.completeEnd, line: this.line, expected };
    this.reportLost();
  }

  private reportLost(): void {
    const { truncated, rows } = this.builder;
    const expected = this.options.expectedGoroutines;
    if (truncated === undefined || expected === undefined) return;
    this.builder.truncated = { ...truncated, lostGoroutines: Math.max(0, expected - rows.length) };
  }

  private advance(newline: number): void {
    this.at = newline + 1;
    this.line++;
  }

  private trimmed(start: number, newline: number): number {
    return newline > start && this.bytes[newline - 1] === 13 ? newline - 1 : newline;
  }
}

/**
 * Where the place of a call begins that stands behind log lines, the first of them at `from`; -1 when there is none. The
 * lines of dumps themselves end the search.
 */
function placeBehindLog(scanner: ByteScanner, from: number): number {
  const { bytes, end } = scanner;
  for (let at = from, lines = 0; at < end && lines < MAX_LINES; lines++) {
    const newline = scanner.newline(at);
    const lineEnd = newline > at && bytes[newline - 1] === 13 ? newline - 1 : newline;
    const first = bytes[at];
    if (first === 9) return lines > 0 && newline < end ? at : -1;
    if (
      lineEnd === at ||
      looksLikeHeader(bytes, at, lineEnd) ||
      isCall(bytes, at, argumentsStart(bytes, at, lineEnd), lineEnd)
    )
      return -1;
    for (const mark of ['created by ', '[originating from ', '...', '-----', 'exit status ', 'non-Go function'])
      if (startsWith(bytes, mark, at, lineEnd)) return -1;
    at = newline + 1;
  }
  return -1;
}

function addSections(builder: DumpBuilder): void {
  const { rows } = builder;
  let size = 16;
  while (size < rows.length * 2) size *= 2;
  // Open addressing; the section number tells entries of earlier sections from this one's, so nothing is cleared.
  const ids = new Float64Array(size);
  const section = new Uint32Array(size);
  const seed = (Math.random() * 0x100000000) | 0;
  let current = 0;
  for (let row = 0; row < rows.length; row++) {
    const id = rows.idOf(row);
    if (row === 0 || (id !== 0 && !insert(ids, section, current, id, seed))) {
      builder.sections.push({ firstRow: row, name: 'goroutine', declaredTotal: undefined });
      current++;
      insert(ids, section, current, id, seed);
    }
  }
}

/** False when the id was there already. Goroutine 0 may repeat: every thread has one. */
function insert(ids: Float64Array, section: Uint32Array, current: number, id: number, seed: number): boolean {
  const mask = ids.length - 1;
  const low = id >>> 0;
  let h = Math.imul(low ^ seed, 0x9e3779b1) ^ Math.imul(((id - low) / 4294967296) | 0, 0x85ebca6b);
  h ^= h >>> 15;
  let slot = h & mask;
  for (let probes = 0; section[slot] === current && ids[slot] !== id; probes++) {
    // Only ids made to collide come this far; leaving them out keeps the time linear.
    if (probes === MAX_PROBES) return true;
    slot = (slot + 1) & mask;
  }
  if (section[slot] === current) return false;
  ids[slot] = id;
  section[slot] = current;
  return true;
}
