/** The protobuf wire format: the little of it that profile.proto needs. */
import { FormatError } from '../../../base/errors.ts';

export const WIRE_VARINT = 0;
export const WIRE_FIXED64 = 1;
export const WIRE_BYTES = 2;
export const WIRE_FIXED32 = 5;

/**
 * A cursor over bytes[at, end). The last varint read is left in `lo` and `hi`, as unsigned 32-bit halves: no
 * allocation, no BigInt.
 */
export class WireReader {
  bytes: Uint8Array;
  at = 0;
  end = 0;
  lo = 0;
  hi = 0;
  /** Offset of bytes[0] in the whole input, for error positions. */
  base = 0;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  fail(message: string): never {
    throw new FormatError(message, { offset: this.base + this.at });
  }

  /** Reads a varint of at most ten bytes into lo and hi; bits beyond 64 are dropped, as Go does. */
  varint(): void {
    const { bytes, end } = this;
    let at = this.at;
    let byte = at < end ? bytes[at++] : this.fail('bad varint: the input ends here');
    if (byte < 0x80) {
      this.at = at;
      this.lo = byte;
      this.hi = 0;
      return;
    }
    let lo = byte & 0x7f;
    let hi = 0;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (shift === 70) this.fail('bad varint: longer than ten bytes');
      if (at >= end) this.fail('bad varint: the input ends here');
      byte = bytes[at++];
      const bits = byte & 0x7f;
      if (shift < 28) lo |= bits << shift;
      else if (shift === 28) {
        lo |= bits << 28;
        hi = bits >>> 4;
      } else hi |= bits << (shift - 32);
    }
    this.at = at;
    this.lo = lo >>> 0;
    this.hi = hi >>> 0;
  }

  /** Reads a varint that must be a length within this reader; returns where its bytes end. */
  extent(): number {
    this.varint();
    const stop = this.hi === 0 ? this.at + this.lo : Infinity;
    if (stop > this.end) this.fail(`a field of ${this.hi * 4294967296 + this.lo} bytes does not fit its message`);
    return stop;
  }

  /** Skips one field whose tag had this wire type. */
  skip(wireType: number): void {
    if (wireType === WIRE_VARINT) this.varint();
    else if (wireType === WIRE_BYTES) this.at = this.extent();
    else if (wireType === WIRE_FIXED64 || wireType === WIRE_FIXED32) {
      const size = wireType === WIRE_FIXED64 ? 8 : 4;
      if (this.at + size > this.end) this.fail('not enough data for a fixed-size field');
      this.at += size;
    } else this.fail(`unknown wire type ${wireType}`);
  }
}

/** Appends protobuf fields to a growing buffer. */
export class WireWriter {
  private bytes = new Uint8Array(4096);
  length = 0;

  private reserve(extra: number): void {
    if (this.length + extra <= this.bytes.length) return;
    const next = new Uint8Array(Math.max(this.bytes.length * 2, this.length + extra));
    next.set(this.bytes.subarray(0, this.length));
    this.bytes = next;
  }

  clear(): void {
    this.length = 0;
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** A non-negative safe integer. */
  varint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  /** Any 64-bit integer, signed or not. */
  varint64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) return this.varint(value);
    this.reserve(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest >= 128n) {
      this.bytes[this.length++] = Number(rest & 127n) | 0x80;
      rest >>= 7n;
    }
    this.bytes[this.length++] = Number(rest);
  }

  /** A varint field, left out when zero. */
  optional(field: number, value: number | bigint): void {
    if (value == 0) return; // `==`: 0 and 0n
    this.varint(field << 3);
    this.varint64(value);
  }

  bytesField(field: number, content: Uint8Array): void {
    this.varint((field << 3) | WIRE_BYTES);
    this.varint(content.length);
    this.reserve(content.length);
    this.bytes.set(content, this.length);
    this.length += content.length;
  }
}

/** A proto that is well formed but whose content breaks a rule: pprof says "malformed profile", and so do we. */
export class MalformedProfileError extends FormatError {}

/** Two profiles in one file. pprof refuses these without trying other formats. */
export class ConcatenatedProfilesError extends FormatError {}

/** Reading fields of an expected kind, and keeping track of the strings they refer to. */
export class FieldReader {
  readonly reader: WireReader;
  /** The largest string index seen; the string table itself may come last. */
  largestString = 0;
  /** Where it was seen, for error positions. */
  largestStringOffset = 0;

  constructor(reader: WireReader) {
    this.reader = reader;
  }

  /** Steps into a length-delimited field: reader.at .. reader.end become its content. */
  enter(wireType: number): void {
    if (wireType !== WIRE_BYTES) this.reader.fail('type mismatch: a message was expected');
    this.reader.end = this.reader.extent();
  }

  /** Leaves the number in reader.lo and reader.hi. */
  varint(wireType: number): void {
    if (wireType !== WIRE_VARINT) this.reader.fail('type mismatch: a number was expected');
    this.reader.varint();
  }

  int64(wireType: number): bigint {
    this.varint(wireType);
    return (BigInt(this.reader.hi | 0) << 32n) | BigInt(this.reader.lo);
  }

  string(wireType: number): number {
    this.varint(wireType);
    return this.stringIndex();
  }

  /** The varint just read, as an index into the string table. */
  stringIndex(): number {
    const index = this.reader.hi === 0 ? this.reader.lo : 0xffffffff;
    if (index > this.largestString) {
      this.largestString = index;
      this.largestStringOffset = this.reader.base + this.reader.at;
    }
    return index;
  }

  /** The ValueType message that is the reader's content. */
  valueTypeContent(): readonly [type: number, unit: number] {
    const { reader } = this;
    let type = 0;
    let unit = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      if (tag >>> 3 === 1) type = this.string(tag & 7);
      else if (tag >>> 3 === 2) unit = this.string(tag & 7);
      else reader.skip(tag & 7);
    }
    return [type, unit];
  }
}
