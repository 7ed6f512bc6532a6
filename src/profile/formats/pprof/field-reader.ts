/** Reading fields of an expected kind, and keeping track of the strings they refer to. */
import { WIRE_BYTES, WIRE_VARINT, type WireReader } from './wire.ts';

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
