/**
 * Folded stacks: one line per stack, root first.
 *
 *     alloc_objects/count alloc_space/bytes       optional header, for other types than samples/count or several
 *     main.main;http.Serve;io.ReadAll 12 4096     frames may hold spaces, the last words are the values
 *
 * Equal stacks are summed, so memory grows with the distinct stacks, not with the lines.
 */
import { Uint32ColumnBuilder } from '../../base/columns.ts';
import { FormatError } from '../../base/errors.ts';
import { type Int64Column, Int64ColumnBuilder } from '../../base/int64.ts';
import { decodeText } from '../../base/text.ts';
import type { Profile, ValueType } from '../profile.ts';
import { ExactSums } from './exact-sums.ts';

const NEWLINE = 10;
const SPACE = 32;
const SEMICOLON = 59;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_HEADER_BYTES = 1 << 16;
const LONG_LINE_BYTES = 1 << 13;

/** Whether the first bytes of a file look like folded stacks. A lone `name 5` does not: too much other text does. */
export function sniffFolded(head: Uint8Array): boolean {
  if (head.subarray(0, 4096).includes(0)) return false;
  let stacks = 0;
  let seenSemicolon = false;
  let at = 0;
  let valueCount = 1;
  for (let lines = 0; lines < 20 && at < head.length; lines++) {
    let end = head.indexOf(NEWLINE, at);
    // The head may be cut within its last line; only a head of one line is judged by it.
    if (end < 0 && stacks > 0) break;
    if (end < 0) end = head.length;
    if (end - at > LONG_LINE_BYTES) {
      // A deep stack: judged by its end, or, where the head ends within it, by its frames alone.
      const isCut = end === head.length;
      const tail = decodeText(head, end - LONG_LINE_BYTES, end).trimEnd();
      if (!tail.includes(';') || !(isCut || /[ \t]-?\d+$/.test(tail))) return false;
      seenSemicolon = true;
      stacks++;
      at = end + 1;
      continue;
    }
    const line = decodeText(head, at, end).trimEnd();
    at = end + 1;
    if (line === '') continue;
    const header = lines === 0 ? parseHeader(line) : undefined;
    if (header !== undefined) {
      valueCount = header.length;
      seenSemicolon = true;
      continue;
    }
    const words = line.split(/[ \t]+/);
    if (line.startsWith('#') || words.length <= valueCount) return false;
    if (!words.slice(-valueCount).every(word => /^-?\d+$/.test(word))) return false;
    seenSemicolon ||= line.includes(';');
    stacks++;
  }
  return stacks > 0 && seenSemicolon;
}

export function readFolded(input: Uint8Array): Profile {
  // A plain view: Buffer's own indexOf takes offsets of 2 GiB and more for negative ones.
  const bytes = new Uint8Array(input.buffer, input.byteOffset, input.length);
  if (bytes.length > 0xffffffff) throw new FormatError('folded stacks of more than 4 GiB are not supported');
  const reader = new FoldedReader(bytes);
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let line = 1; at < bytes.length; line++) {
    let end = bytes.indexOf(NEWLINE, at);
    if (end < 0) end = bytes.length;
    reader.line(at, end, line);
    at = end + 1;
  }
  return reader.finish();
}

class FoldedReader {
  private readonly bytes: Uint8Array;
  private readonly stacks: ByteInterner;
  private readonly frames: ByteInterner;
  private readonly strings: string[] = [''];
  private readonly frameNames = new Uint32ColumnBuilder();
  private sampleTypes: readonly ValueType[] = [{ type: 'samples', unit: 'count' }];
  private sums: readonly ExactSums[] = [new ExactSums()];
  private values: (number | bigint)[] = [0];
  private readonly stackStart = new Uint32ColumnBuilder();
  private readonly stackLocations = new Uint32ColumnBuilder(1 << 12);
  private started = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.stacks = new ByteInterner(bytes);
    this.frames = new ByteInterner(bytes);
    this.stackStart.push(0);
  }

  line(start: number, end: number, line: number): void {
    end = this.trimEnd(start, end);
    if (end === start) return;
    if (!this.started) {
      this.started = true;
      const header = end - start > MAX_HEADER_BYTES ? undefined : parseHeader(decodeText(this.bytes, start, end));
      if (header !== undefined) {
        this.sampleTypes = header;
        this.sums = header.map(() => new ExactSums());
        this.values = header.map(() => 0);
        return;
      }
    }
    for (let t = this.values.length - 1; t >= 0; t--) {
      let word = end;
      while (word > start && !isSpace(this.bytes[word - 1])) word--;
      this.values[t] = this.integer(word, end, line);
      end = this.trimEnd(start, word);
      if (end === start) throw new FormatError(`expected ${this.expected()}`, { line });
    }
    const known = this.stacks.length;
    const sample = this.stacks.intern(start, end);
    if (sample === known) this.addStack(start, end);
    for (let t = 0; t < this.values.length; t++) this.sums[t].add(sample, this.values[t]);
  }

  finish(): Profile {
    const stackCount = this.stacks.length;
    const frameCount = this.frames.length;
    const ids = BigUint64Array.from({ length: frameCount }, (_, i) => BigInt(i + 1));
    const indexes = Uint32Array.from({ length: frameCount + 1 }, (_, i) => i);
    const zeros = new Float64Array(frameCount);
    const name = this.frameNames.finish();
    return {
      sampleTypes: this.sampleTypes,
      defaultSampleType: '',
      samples: {
        length: stackCount,
        stackStart: this.stackStart.finish(),
        stackLocations: this.stackLocations.finish(),
        values: this.sums.map(sums => int64Sums(sums, this.stacks)),
        labelStart: new Uint32Array(stackCount + 1),
        labels: {
          length: 0,
          key: new Uint32Array(0),
          str: new Uint32Array(0),
          num: new Float64Array(0),
          unit: new Uint32Array(0),
        },
      },
      mappings: [],
      locations: {
        length: frameCount,
        id: ids,
        mapping: new Int32Array(frameCount).fill(-1),
        address: new BigUint64Array(frameCount),
        isFolded: new Uint8Array(frameCount),
        lineStart: indexes,
        lines: {
          length: frameCount,
          fn: Int32Array.from(indexes.subarray(0, frameCount)),
          line: zeros,
          column: zeros,
        },
      },
      functions: {
        length: frameCount,
        id: ids,
        name,
        systemName: name,
        filename: new Uint32Array(frameCount),
        startLine: zeros,
      },
      strings: this.strings,
      comments: [],
      docUrl: '',
      dropFrames: '',
      keepFrames: '',
      timeNanos: 0n,
      durationNanos: 0n,
      periodType: { type: '', unit: '' },
      period: 0n,
    };
  }

  private addStack(start: number, end: number): void {
    // From the end of the line: samples list the leaf first.
    for (let frameEnd = end; frameEnd >= start;) {
      let frameStart = frameEnd;
      while (frameStart > start && this.bytes[frameStart - 1] !== SEMICOLON) frameStart--;
      const known = this.frames.length;
      const frame = this.frames.intern(frameStart, frameEnd);
      if (frame === known) this.addFrame(decodeText(this.bytes, frameStart, frameEnd));
      this.stackLocations.push(frame);
      frameEnd = frameStart - 1;
    }
    this.stackStart.push(this.stackLocations.length);
  }

  private addFrame(name: string): void {
    this.frameNames.push(name === '' ? 0 : this.strings.push(name) - 1);
  }

  private integer(start: number, end: number, line: number): number | bigint {
    const negative = this.bytes[start] === 45;
    const digits = negative ? start + 1 : start;
    let value = 0;
    for (let i = digits; i < end; i++) {
      const digit = this.bytes[i] - 48;
      if (!(digit >= 0 && digit <= 9)) throw this.badCount(start, end, line);
      value = value * 10 + digit;
    }
    if (digits === end) throw this.badCount(start, end, line);
    if (value <= Number.MAX_SAFE_INTEGER) return negative ? -value : value;
    if (end - digits > 400) throw this.badCount(start, end, line);
    const exact = BigInt(decodeText(this.bytes, start, end));
    if (exact < MIN_INT64 || exact > MAX_INT64) throw new FormatError('a count exceeds 64 bits', { line });
    return exact;
  }

  private badCount(start: number, end: number, line: number): FormatError {
    const word = decodeText(this.bytes, start, Math.min(end, start + 40));
    return new FormatError(`expected ${this.expected()}, found ${JSON.stringify(word)} for a count`, { line });
  }

  private expected(): string {
    return `"root;...;leaf${' COUNT'.repeat(Math.min(this.values.length, 4))}"`;
  }

  private trimEnd(start: number, end: number): number {
    while (end > start && isSpace(this.bytes[end - 1])) end--;
    return end;
  }
}

/** `type/unit type/unit ...`, or undefined when the line is a stack. */
function parseHeader(line: string): ValueType[] | undefined {
  const words = line.trim().split(/[ \t]+/);
  const types: ValueType[] = [];
  for (const word of words) {
    const match = /^([^/;]+)\/([^/;]+)$/.exec(word);
    if (match === null) return undefined;
    types.push({ type: match[1], unit: match[2] });
  }
  return types;
}

function int64Sums(sums: ExactSums, stacks: ByteInterner): Int64Column {
  const column = new Int64ColumnBuilder(stacks.length);
  for (let i = 0; i < stacks.length; i++) {
    const sum = sums.get(i);
    if (typeof sum === 'bigint' && (sum < MIN_INT64 || sum > MAX_INT64)) {
      throw new FormatError('the sum of equal stacks exceeds 64 bits', { offset: stacks.startOf(i) });
    }
    column.push(sum);
  }
  return column.finish();
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 9 || byte === 13;
}

/**
 * Numbers distinct byte ranges of one buffer in order of first appearance. It keeps offsets, not copies, so memory
 * grows with the number of distinct ranges and nothing is decoded twice.
 */
class ByteInterner {
  private readonly bytes: Uint8Array;
  /** Open addressing; 0 is free, else id + 1. */
  private slots = new Uint32Array(1 << 10);
  private starts = new Uint32Array(1 << 9);
  private ends = new Uint32Array(1 << 9);
  private hashes = new Uint32Array(1 << 9);
  /** Random, so that an input cannot be made to collide. */
  private readonly seed = Math.floor(Math.random() * 0x100000000);
  length = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The id of bytes[start, end); equal to the previous `length` when it is new. */
  intern(start: number, end: number): number {
    const hash = this.hash(start, end);
    let mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let found = this.slots[slot]; found !== 0; found = this.slots[slot]) {
      const id = found - 1;
      if (this.hashes[id] === hash && this.equals(id, start, end)) return id;
      slot = (slot + 1) & mask;
    }
    if (this.length === this.starts.length) {
      this.grow();
      mask = this.slots.length - 1;
      slot = hash & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    }
    const id = this.length++;
    this.slots[slot] = id + 1;
    this.starts[id] = start;
    this.ends[id] = end;
    this.hashes[id] = hash;
    return id;
  }

  /** Where the range of this id was first seen. */
  startOf(id: number): number {
    return this.starts[id];
  }

  private equals(id: number, start: number, end: number): boolean {
    const other = this.starts[id];
    const size = end - start;
    if (this.ends[id] - other !== size) return false;
    const bytes = this.bytes;
    for (let i = 0; i < size; i++) if (bytes[other + i] !== bytes[start + i]) return false;
    return true;
  }

  private hash(start: number, end: number): number {
    const bytes = this.bytes;
    let h = this.seed;
    for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 13), 0x85ebca6b);
    return (h ^ (h >>> 16)) >>> 0;
  }

  private grow(): void {
    this.starts = widened(this.starts);
    this.ends = widened(this.ends);
    this.hashes = widened(this.hashes);
    const slots = new Uint32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.length; id++) {
      let slot = this.hashes[id] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.slots = slots;
  }
}

/** The same values with room for twice as many. */
function widened(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(column.length * 2);
  next.set(column);
  return next;
}
