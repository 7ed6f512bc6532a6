/**
 * The samples of a profile.proto: nearly all of its bytes, and all of its speed.
 *
 *     sample = { location_id: 0a LEN id id id ...    value: 12 LEN v v v v    label: 1a LEN { key str | num unit } }
 */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import { Int64ColumnBuilder, type Int64Column } from '../../../base/int64.ts';
import type { LabelTable } from '../../profile.ts';
import type { IdIndex, ResolvedIds } from './decode-tables.ts';
import { type FieldReader, MalformedProfileError } from './wire.ts';

/**
 * The locations of all stacks, one after the other: the largest column of a profile. Two bytes each while every key
 * fits, four from the first that does not.
 *
 * Nearly every writer numbers its locations 1, 2, 3 ..., so a key is kept as the row it then has, key - 1. Only if a
 * writer did otherwise are keys looked up at the end.
 */
const NARROW_LIMIT = 0xffff;

export class SampleDecoder {
  count = 0;
  /** Value count of the first sample that has another count than the very first; -1 while all agree. */
  oddValueCount = -1;
  readonly stack: StackColumnBuilder;
  private readonly fields: FieldReader;
  private readonly locationIds: IdIndex;
  private readonly keepLabels: boolean;
  private readonly stackStart: Uint32ColumnBuilder;
  private readonly labelStart: Uint32ColumnBuilder;
  private readonly labelKey: Uint32ColumnBuilder;
  private readonly labelStr: Uint32ColumnBuilder;
  private readonly labelUnit: Uint32ColumnBuilder;
  private readonly labelNum: Int64ColumnBuilder;
  private values: Int64ColumnBuilder[] = [];
  private readonly rowHint: number;

  constructor(fields: FieldReader, locationIds: IdIndex, sizeHint: number, keepLabels: boolean) {
    this.fields = fields;
    this.locationIds = locationIds;
    this.keepLabels = keepLabels;
    // A sample takes some 32 bytes or more; capacity that is not used costs nothing.
    this.rowHint = sizeHint >> 5;
    this.stack = new StackColumnBuilder(sizeHint >> 1);
    this.stackStart = new Uint32ColumnBuilder(this.rowHint);
    this.labelStart = new Uint32ColumnBuilder(this.rowHint);
    this.stackStart.push(0);
    this.labelStart.push(0);
    const labelHint = keepLabels ? this.rowHint : 0;
    this.labelKey = new Uint32ColumnBuilder(labelHint);
    this.labelStr = new Uint32ColumnBuilder(labelHint);
    this.labelUnit = new Uint32ColumnBuilder(labelHint);
    this.labelNum = new Int64ColumnBuilder(labelHint);
  }

  get valueCount(): number {
    return this.values.length;
  }

  /** Decodes the sample that is the reader's content. */
  decode(): void {
    const { reader } = this.fields;
    const { bytes, end } = reader;
    this.row = 0;
    while (reader.at < end) {
      // Tags and lengths are nearly always one byte.
      const tag = bytes[reader.at];
      const length = bytes[reader.at + 1];
      if (length < 0x80 && (tag === 0x0a || tag === 0x12 || tag === 0x1a) && reader.at + 2 + length <= end) {
        reader.at += 2;
        this.packed(tag, reader.at + length);
      } else {
        this.field();
      }
      reader.end = end;
    }
    const valueCount = this.row;
    if (valueCount !== this.values.length) {
      if (this.oddValueCount < 0) this.oddValueCount = valueCount;
      for (let t = valueCount; t < this.values.length; t++) this.values[t].pushHalves(0, 0);
    }
    this.count++;
    this.stackStart.push(this.stack.length);
    this.labelStart.push(this.labelKey.length);
  }

  /** Values of this sample so far. */
  private row = 0;

  /** A length-delimited field whose content is reader.at .. stop. */
  private packed(tag: number, stop: number): void {
    const { reader } = this.fields;
    if (tag === 0x0a) this.packedLocations(stop);
    else if (tag === 0x12) this.packedValues(stop);
    else if (this.keepLabels) {
      reader.end = stop;
      this.label();
    }
    reader.at = stop;
  }

  /** Any other field, or one whose tag or length is longer. */
  private field(): void {
    const { reader } = this.fields;
    reader.varint();
    const tag = reader.lo;
    if (tag === 0x0a || tag === 0x12 || tag === 0x1a) {
      this.packed(tag, reader.extent());
    } else if (tag >>> 3 === 1) {
      this.fields.varint(tag & 7);
      this.stack.push(this.locationIds.key(reader.lo, reader.hi));
    } else if (tag >>> 3 === 2) {
      this.fields.varint(tag & 7);
      this.pushValue();
    } else if (tag >>> 3 === 3) {
      reader.fail('type mismatch: a label was expected');
    } else {
      reader.skip(tag & 7);
    }
  }

  private packedValues(stop: number): void {
    const { reader } = this.fields;
    reader.end = stop;
    while (reader.at < stop) {
      reader.varint();
      this.pushValue();
    }
  }

  /**
   * The hottest loop of all. Ids of one to three bytes come in no order a processor could predict, so they are read
   * without branching on their length; longer ones, and the last two bytes, go the careful way.
   */
  private packedLocations(stop: number): void {
    const { reader } = this.fields;
    const { bytes } = reader;
    const { stack } = this;
    const items = stack.reserve(stop - reader.at); // an id takes at least one byte
    const limit = stack.limit;
    const safe = stop - 2;
    let length = stack.length;
    let largest = stack.largest;
    let at = reader.at;
    while (at < safe) {
      const b0 = bytes[at];
      const b1 = bytes[at + 1];
      const b2 = bytes[at + 2];
      const more1 = b0 >> 7;
      const more2 = more1 & (b1 >> 7);
      const id = (b0 & 0x7f) | (((b1 & 0x7f) << 7) & -more1) | (((b2 & 0x7f) << 14) & -more2);
      if ((more2 & (b2 >> 7)) !== 0 || id > limit || id === 0) break;
      if (id > largest) largest = id;
      items[length++] = id - 1;
      at += 1 + more1 + more2;
    }
    stack.length = length;
    stack.largest = largest;
    reader.at = at;
    reader.end = stop;
    while (reader.at < stop) {
      reader.varint();
      stack.push(this.locationIds.key(reader.lo, reader.hi));
    }
  }

  /** Takes the number that the reader has just read. */
  private pushValue(): void {
    const index = this.row++;
    if (index >= this.values.length) {
      if (this.count > 0) return; // counted by `row`; reported at the end
      this.values.push(new Int64ColumnBuilder(this.rowHint));
    }
    this.values[index].pushHalves(this.fields.reader.lo, this.fields.reader.hi);
  }

  private label(): void {
    const { reader } = this.fields;
    let key = 0;
    let str = 0;
    let unit = 0;
    let numLo = 0;
    let numHi = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      const field = tag >>> 3;
      if (field === 1) key = this.fields.string(tag & 7);
      else if (field === 2) str = this.fields.string(tag & 7);
      else if (field === 3) {
        this.fields.varint(tag & 7);
        numLo = reader.lo;
        numHi = reader.hi;
      } else if (field === 4) unit = this.fields.string(tag & 7);
      else reader.skip(tag & 7);
    }
    if (str !== 0) {
      // A string label; pprof then ignores the number.
      numLo = numHi = unit = 0;
    } else if (numLo === 0 && numHi === 0 && unit === 0) {
      return;
    }
    this.labelKey.push(key);
    this.labelStr.push(str);
    this.labelUnit.push(unit);
    this.labelNum.pushHalves(numLo, numHi);
  }

  finish(): {
    readonly stackStart: Uint32Array;
    readonly values: readonly Int64Column[];
    readonly labelStart: Uint32Array;
    readonly labels: LabelTable;
  } {
    return {
      stackStart: this.stackStart.finish(),
      values: this.values.map(column => column.finish()),
      labelStart: this.labelStart.finish(),
      labels: {
        length: this.labelKey.length,
        key: this.labelKey.finish(),
        str: this.labelStr.finish(),
        num: this.labelNum.finish(),
        unit: this.labelUnit.finish(),
      },
    };
  }
}

class StackColumnBuilder {
  length = 0;
  /** The largest key that `items` can hold. */
  limit: number = NARROW_LIMIT;
  /** The largest key there is. */
  largest = 0;
  /** Whether any key is 0, the id of no location. */
  hasZero = false;
  private items: Uint16Array | Uint32Array;

  constructor(capacity: number) {
    this.items = new Uint16Array(Math.max(capacity, 64));
  }

  push(key: number): void {
    if (key > this.limit) this.widen();
    if (key > this.largest) this.largest = key;
    if (key === 0) this.hasZero = true;
    this.reserve(1)[this.length++] = key - 1;
  }

  /** Makes room for `extra` more keys; the caller may write key - 1 behind `length`, for keys from 1 to `limit`. */
  reserve(extra: number): Uint16Array | Uint32Array {
    if (this.length + extra > this.items.length) {
      const size = Math.max(this.items.length * 2, this.length + extra);
      const next = this.limit === NARROW_LIMIT ? new Uint16Array(size) : new Uint32Array(size);
      next.set(this.items.subarray(0, this.length));
      this.items = next;
    }
    return this.items;
  }

  /** The rows of the location table. */
  finish({ dense, rowOf }: ResolvedIds): Uint16Array | Uint32Array {
    let items = this.items.subarray(0, this.length);
    const inOrder = dense !== undefined && dense.every((row, key) => row === key - 1);
    if (this.hasZero || (inOrder && this.largest >= dense.length)) throw nilLocation();
    if (!inOrder) {
      for (let i = 0; i < items.length; i++) {
        const row = rowOf(items[i] + 1);
        if (row < 0) throw nilLocation();
        // A small id may stand for a late row.
        if (row > NARROW_LIMIT && items instanceof Uint16Array) items = Uint32Array.from(items);
        items[i] = row;
      }
    }
    return items;
  }

  private widen(): void {
    const wide = new Uint32Array(this.items.length);
    wide.set(this.items.subarray(0, this.length));
    this.items = wide;
    this.limit = 0xffffffff;
  }
}

function nilLocation(): MalformedProfileError {
  return new MalformedProfileError('sample has nil location');
}
