/**
 * profile.proto to a columnar Profile, in one pass, in pieces.
 *
 * `push` takes the (decompressed) bytes as they come, so that a profile of any size is read without ever holding its
 * encoded form: only the columns stay.
 *
 *     const decoder = new ProfileDecoder();
 *     for await (const chunk of gunzipped) decoder.push(chunk);
 *     const profile = decoder.finish();
 *
 * Rules of google/pprof kept here: ids in any order and of any size, tables in any order, packed or not, unknown
 * fields skipped, string_table[0] must be '', a second time_nanos means two profiles were concatenated.
 */
import { Uint32ColumnBuilder, Uint64ColumnBuilder } from '../../base/columns.ts';
import { FormatError } from '../../base/errors.ts';
import { Int64ColumnBuilder } from '../../base/int64.ts';
import { concatBytes, decodeText } from '../../base/text.ts';
import type { Mapping, Profile } from '../../model/profile.ts';
import { IdIndex } from './id-index.ts';
import { WIRE_BYTES, WIRE_VARINT, WireReader } from './wire.ts';

/** A proto that is well formed but whose content breaks a rule: pprof says "malformed profile", and so do we. */
export class MalformedProfileError extends FormatError {}

/** Two profiles in one file. pprof refuses these without trying other formats. */
export class ConcatenatedProfilesError extends FormatError {}

/** Reads a whole profile.proto, uncompressed. */
export function decodeProfile(bytes: Uint8Array): Profile {
  const decoder = new ProfileDecoder(bytes.length);
  decoder.push(bytes);
  return decoder.finish();
}

interface MappingRow {
  id: bigint;
  start: bigint;
  limit: bigint;
  offset: bigint;
  file: number;
  buildId: number;
  flags: number;
}

export class ProfileDecoder {
  private readonly reader = new WireReader();
  /** Input not yet decoded because its top-level field is incomplete. */
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private neededBytes = 0;
  private consumedBytes = 0;

  private readonly strings: string[] = [];
  private largestString = 0;
  private readonly sampleTypes: (readonly [type: number, unit: number])[] = [];

  private readonly stack: Uint32ColumnBuilder;
  private readonly stackStart: Uint32ColumnBuilder;
  private values: Int64ColumnBuilder[] = [];
  private readonly labelStart: Uint32ColumnBuilder;
  private readonly labelKey = new Uint32ColumnBuilder();
  private readonly labelStr = new Uint32ColumnBuilder();
  private readonly labelUnit = new Uint32ColumnBuilder();
  private readonly labelNum = new Int64ColumnBuilder();
  private sampleCount = 0;
  /** Value count of the first sample that has another count than the first one; -1 while all agree. */
  private oddValueCount = -1;

  private readonly locationIds = new IdIndex();
  private readonly locationId = new Uint64ColumnBuilder();
  private readonly locationMapping = new Uint32ColumnBuilder();
  private readonly address = new Uint64ColumnBuilder();
  private readonly isFolded = new Uint32ColumnBuilder();
  private readonly lineStart = new Uint32ColumnBuilder();
  private readonly lineFn = new Uint32ColumnBuilder();
  private readonly lineNumber = new Int64ColumnBuilder();
  private readonly lineColumn = new Int64ColumnBuilder();

  private readonly functionIds = new IdIndex();
  private readonly functionId = new Uint64ColumnBuilder();
  private readonly functionName = new Uint32ColumnBuilder();
  private readonly functionSystemName = new Uint32ColumnBuilder();
  private readonly functionFilename = new Uint32ColumnBuilder();
  private readonly startLine = new Int64ColumnBuilder();

  private readonly mappingIds = new IdIndex();
  private readonly mappings: MappingRow[] = [];

  private readonly comments: number[] = [];
  private dropFrames = 0;
  private keepFrames = 0;
  private timeNanos = 0n;
  private durationNanos = 0n;
  private periodType: readonly [type: number, unit: number] = [0, 0];
  private period = 0n;
  private defaultSampleType = 0;
  private docUrl = 0;

  /** `sizeHint` is the expected size of the whole input; it only sets first capacities. */
  constructor(sizeHint = 0) {
    const hint = Math.min(sizeHint, 1 << 28);
    this.stack = new Uint32ColumnBuilder(hint >> 1);
    this.stackStart = new Uint32ColumnBuilder(hint >> 5);
    this.labelStart = new Uint32ColumnBuilder(hint >> 5);
    this.stackStart.push(0);
    this.labelStart.push(0);
    this.lineStart.push(0);
  }

  push(chunk: Uint8Array): void {
    if (this.pendingBytes > 0) {
      this.pending.push(chunk);
      this.pendingBytes += chunk.length;
      // Joining is put off until the incomplete field can be complete: each byte is copied once.
      if (this.pendingBytes < this.neededBytes) return;
      chunk = concatBytes(this.pending);
      this.pending = [];
      this.pendingBytes = 0;
    }
    const done = this.decodeTopLevel(chunk);
    this.consumedBytes += done;
    if (done < chunk.length) {
      // A copy: the caller may reuse its buffer, and a view would keep the whole chunk alive.
      this.pending.push(chunk.slice(done));
      this.pendingBytes = chunk.length - done;
    }
  }

  finish(): Profile {
    if (this.pendingBytes > 0) {
      throw new FormatError(`truncated: the last field needs ${this.neededBytes - this.pendingBytes} more bytes`, {
        offset: this.consumedBytes + this.pendingBytes,
      });
    }
    if (this.consumedBytes === 0) throw new FormatError('empty input file', { offset: 0 });
    if (this.strings.length === 0 || this.largestString >= this.strings.length) {
      throw new FormatError(`string index ${this.largestString} is outside the table of ${this.strings.length} strings`);
    }
    return this.build();
  }

  /** Decodes every complete top-level field and returns how many bytes that was. */
  private decodeTopLevel(bytes: Uint8Array): number {
    const reader = this.reader;
    reader.bytes = bytes;
    reader.base = this.consumedBytes;
    let at = 0;
    while (at < bytes.length) {
      // The field must be whole before it is decoded: find its end first.
      const stop = this.fieldEnd(bytes, at);
      if (stop > bytes.length) {
        this.neededBytes = stop - at;
        return at;
      }
      reader.at = at;
      reader.end = stop;
      this.decodeField();
      at = stop;
    }
    return at;
  }

  /** Where the top-level field at `at` ends; beyond the bytes when it is incomplete. */
  private fieldEnd(bytes: Uint8Array, at: number): number {
    let i = at;
    let tag = 0;
    for (let shift = 0; ; shift += 7) {
      if (i >= bytes.length) return bytes.length + 1;
      const byte = bytes[i++];
      if (shift < 28) tag |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      if (shift === 63) throw new FormatError('bad varint: longer than ten bytes', { offset: this.consumedBytes + at });
    }
    const wireType = tag & 7;
    if (wireType === 1) return i + 8;
    if (wireType === 5) return i + 4;
    let length = 0;
    let scale = 1;
    for (let count = 0; ; count++) {
      if (i >= bytes.length) return bytes.length + 1;
      if (count === 10) throw new FormatError('bad varint: longer than ten bytes', { offset: this.consumedBytes + at });
      const byte = bytes[i++];
      length += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) break;
    }
    if (wireType === WIRE_VARINT) return i;
    if (wireType !== WIRE_BYTES) {
      throw new FormatError(`unknown wire type ${wireType}`, { offset: this.consumedBytes + at });
    }
    if (length > 0xffffffff) {
      throw new FormatError(`a field of ${length} bytes is longer than any profile`, {
        offset: this.consumedBytes + at,
      });
    }
    return i + length;
  }

  private decodeField(): void {
    const reader = this.reader;
    reader.varint();
    const wireType = reader.lo & 7;
    const field = reader.hi === 0 ? reader.lo >>> 3 : 0;
    switch (field) {
      case 1:
        this.sampleTypes.push(this.decodeValueType(wireType));
        break;
      case 2:
        this.enter(wireType);
        this.decodeSample();
        break;
      case 3:
        this.enter(wireType);
        this.decodeMapping();
        break;
      case 4:
        this.enter(wireType);
        this.decodeLocation();
        break;
      case 5:
        this.enter(wireType);
        this.decodeFunction();
        break;
      case 6: {
        this.enter(wireType);
        const text = decodeText(reader.bytes, reader.at, reader.end);
        if (this.strings.length === 0 && text !== '') reader.fail("string_table[0] must be ''");
        this.strings.push(text);
        break;
      }
      case 7:
        this.dropFrames = this.stringField(wireType);
        break;
      case 8:
        this.keepFrames = this.stringField(wireType);
        break;
      case 9:
        if (this.timeNanos !== 0n) {
          throw new ConcatenatedProfilesError('concatenated profiles detected', { offset: reader.base + reader.at });
        }
        this.timeNanos = this.int64Field(wireType);
        break;
      case 10:
        this.durationNanos = this.int64Field(wireType);
        break;
      case 11:
        this.periodType = this.decodeValueType(wireType);
        break;
      case 12:
        this.period = this.int64Field(wireType);
        break;
      case 13:
        if (wireType === WIRE_BYTES) {
          this.enter(wireType);
          while (reader.at < reader.end) {
            reader.varint();
            this.comments.push(this.stringIndex());
          }
        } else {
          this.comments.push(this.stringField(wireType));
        }
        break;
      case 14:
        this.defaultSampleType = this.stringField(wireType);
        break;
      case 15:
        this.docUrl = this.stringField(wireType);
        break;
      // Other fields are skipped: their extent is already known.
    }
  }

  /** Steps into a length-delimited field: reader.at .. reader.end become its content. */
  private enter(wireType: number): void {
    if (wireType !== WIRE_BYTES) this.reader.fail('type mismatch: a message was expected');
    this.reader.end = this.reader.extent();
  }

  private varintField(wireType: number): void {
    if (wireType !== WIRE_VARINT) this.reader.fail('type mismatch: a number was expected');
    this.reader.varint();
  }

  private int64Field(wireType: number): bigint {
    this.varintField(wireType);
    return (BigInt(this.reader.hi | 0) << 32n) | BigInt(this.reader.lo);
  }

  private stringField(wireType: number): number {
    this.varintField(wireType);
    return this.stringIndex();
  }

  /** The varint just read, as an index into the string table, which may not have been read yet. */
  private stringIndex(): number {
    const index = this.reader.hi === 0 ? this.reader.lo : 0xffffffff;
    if (index > this.largestString) this.largestString = index;
    return index;
  }

  private decodeValueType(wireType: number): readonly [number, number] {
    this.enter(wireType);
    const reader = this.reader;
    let type = 0;
    let unit = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      if (tag >>> 3 === 1) type = this.stringField(tag & 7);
      else if (tag >>> 3 === 2) unit = this.stringField(tag & 7);
      else reader.skip(tag & 7);
    }
    return [type, unit];
  }

  private decodeSample(): void {
    const reader = this.reader;
    const { bytes, end } = reader;
    const { stack } = this;
    stack.reserve(end - reader.at); // an id takes at least one byte
    const first = this.sampleCount === 0;
    let valueCount = 0;
    while (reader.at < end) {
      reader.varint();
      const tag = reader.lo;
      if (tag === 0x0a) {
        // location_id, packed: the hottest loop of all.
        const stop = reader.extent();
        const items = stack.items;
        let length = stack.length;
        let at = reader.at;
        while (at < stop) {
          let id = bytes[at++];
          if (id >= 0x80) {
            const b1 = at < stop ? bytes[at++] : 0x80;
            id = (id & 0x7f) | ((b1 & 0x7f) << 7);
            if (b1 >= 0x80) {
              const b2 = at < stop ? bytes[at++] : 0x80;
              id |= (b2 & 0x7f) << 14;
              if (b2 >= 0x80) {
                // Four bytes or more, or cut short: the careful way.
                reader.at = at - 3;
                reader.end = stop;
                reader.varint();
                id = this.locationIds.key(reader.lo, reader.hi);
                at = reader.at;
              }
            }
          }
          items[length++] = id;
        }
        stack.length = length;
        reader.at = stop;
        reader.end = end;
      } else if (tag === 0x12) {
        const stop = reader.extent();
        reader.end = stop;
        while (reader.at < stop) {
          reader.varint();
          this.pushValue(valueCount++, first);
        }
        reader.end = end;
      } else if (tag === 0x1a) {
        reader.end = reader.extent();
        this.decodeLabel();
        reader.end = end;
      } else if (tag >>> 3 === 1) {
        this.varintField(tag & 7);
        stack.push(this.locationIds.key(reader.lo, reader.hi));
      } else if (tag >>> 3 === 2) {
        this.varintField(tag & 7);
        this.pushValue(valueCount++, first);
      } else if (tag >>> 3 === 3) {
        reader.fail('type mismatch: a label was expected');
      } else {
        reader.skip(tag & 7);
      }
    }
    if (valueCount !== this.values.length) {
      if (this.oddValueCount < 0) this.oddValueCount = valueCount;
      for (let t = valueCount; t < this.values.length; t++) this.values[t].pushHalves(0, 0);
    }
    this.sampleCount++;
    this.stackStart.push(stack.length);
    this.labelStart.push(this.labelKey.length);
  }

  private pushValue(index: number, first: boolean): void {
    if (index >= this.values.length) {
      if (!first) return; // counted by the caller; reported at the end
      this.values.push(new Int64ColumnBuilder(this.stackStart.items.length));
    }
    this.values[index].pushHalves(this.reader.lo, this.reader.hi);
  }

  private decodeLabel(): void {
    const reader = this.reader;
    let key = 0;
    let str = 0;
    let unit = 0;
    let numLo = 0;
    let numHi = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      const field = tag >>> 3;
      if (field === 1) key = this.stringField(tag & 7);
      else if (field === 2) str = this.stringField(tag & 7);
      else if (field === 3) {
        this.varintField(tag & 7);
        numLo = reader.lo;
        numHi = reader.hi;
      } else if (field === 4) unit = this.stringField(tag & 7);
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

  private decodeLocation(): void {
    const reader = this.reader;
    const { end } = reader;
    let idLo = 0;
    let idHi = 0;
    let mapping = 0;
    let addressLo = 0;
    let addressHi = 0;
    let folded = 0;
    while (reader.at < end) {
      reader.varint();
      const tag = reader.lo;
      switch (tag >>> 3) {
        case 1:
          this.varintField(tag & 7);
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case 2:
          this.varintField(tag & 7);
          mapping = this.mappingIds.key(reader.lo, reader.hi);
          break;
        case 3:
          this.varintField(tag & 7);
          addressLo = reader.lo;
          addressHi = reader.hi;
          break;
        case 4:
          this.enter(tag & 7);
          this.decodeLine();
          reader.end = end;
          break;
        case 5:
          this.varintField(tag & 7);
          folded = reader.lo !== 0 || reader.hi !== 0 ? 1 : 0;
          break;
        default:
          reader.skip(tag & 7);
      }
    }
    this.locationIds.define(this.locationIds.key(idLo, idHi));
    this.locationId.pushHalves(idLo, idHi);
    this.locationMapping.push(mapping);
    this.address.pushHalves(addressLo, addressHi);
    this.isFolded.push(folded);
    this.lineStart.push(this.lineFn.length);
  }

  private decodeLine(): void {
    const reader = this.reader;
    let fn = 0;
    let lineLo = 0;
    let lineHi = 0;
    let columnLo = 0;
    let columnHi = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      const field = tag >>> 3;
      if (field === 0 || field > 3) {
        reader.skip(tag & 7);
        continue;
      }
      this.varintField(tag & 7);
      if (field === 1) fn = this.functionIds.key(reader.lo, reader.hi);
      else if (field === 2) {
        lineLo = reader.lo;
        lineHi = reader.hi;
      } else {
        columnLo = reader.lo;
        columnHi = reader.hi;
      }
    }
    this.lineFn.push(fn);
    this.lineNumber.pushHalves(lineLo, lineHi);
    this.lineColumn.pushHalves(columnLo, columnHi);
  }

  private decodeFunction(): void {
    const reader = this.reader;
    let idLo = 0;
    let idHi = 0;
    let name = 0;
    let systemName = 0;
    let filename = 0;
    let startLo = 0;
    let startHi = 0;
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      switch (tag >>> 3) {
        case 1:
          this.varintField(tag & 7);
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case 2:
          name = this.stringField(tag & 7);
          break;
        case 3:
          systemName = this.stringField(tag & 7);
          break;
        case 4:
          filename = this.stringField(tag & 7);
          break;
        case 5:
          this.varintField(tag & 7);
          startLo = reader.lo;
          startHi = reader.hi;
          break;
        default:
          reader.skip(tag & 7);
      }
    }
    this.functionIds.define(this.functionIds.key(idLo, idHi));
    this.functionId.pushHalves(idLo, idHi);
    this.functionName.push(name);
    this.functionSystemName.push(systemName);
    this.functionFilename.push(filename);
    this.startLine.pushHalves(startLo, startHi);
  }

  private decodeMapping(): void {
    const reader = this.reader;
    const row: MappingRow = { id: 0n, start: 0n, limit: 0n, offset: 0n, file: 0, buildId: 0, flags: 0 };
    let key = 0;
    const uint64 = (): bigint => (BigInt(reader.hi) << 32n) | BigInt(reader.lo);
    while (reader.at < reader.end) {
      reader.varint();
      const tag = reader.lo;
      const field = tag >>> 3;
      if (field === 0 || field > 10) {
        reader.skip(tag & 7);
        continue;
      }
      this.varintField(tag & 7);
      if (field === 1) {
        row.id = uint64();
        key = this.mappingIds.key(reader.lo, reader.hi);
      } else if (field === 2) row.start = uint64();
      else if (field === 3) row.limit = uint64();
      else if (field === 4) row.offset = uint64();
      else if (field === 5) row.file = this.stringIndex();
      else if (field === 6) row.buildId = this.stringIndex();
      else if (reader.lo !== 0 || reader.hi !== 0) row.flags |= 1 << field;
      else row.flags &= ~(1 << field);
    }
    this.mappingIds.define(key);
    this.mappings.push(row);
  }

  /** Resolves ids to indexes, checks what pprof's CheckValid checks, and hands over the columns. */
  private build(): Profile {
    const { strings } = this;
    const typeCount = this.sampleTypes.length;
    if (this.sampleCount > 0) {
      if (typeCount === 0) throw new MalformedProfileError('missing sample type information');
      const odd = this.values.length !== typeCount ? this.values.length : this.oddValueCount;
      if (odd >= 0) throw new MalformedProfileError(`mismatch: sample has ${odd} values vs. ${typeCount} types`);
    }

    const locations = this.locationIds.finish();
    const stackLocations = this.stack.finish();
    resolveInPlace(stackLocations, locations);

    const mappings = this.mappingIds.finish();
    checkIds('mapping', 'ID', this.mappings.length, row => this.mappings[row].id, mappings.duplicate);
    const functions = this.functionIds.finish();
    const functionId = this.functionId.finish();
    checkIds('function', 'ID', functionId.length, row => functionId[row], functions.duplicate);
    const locationId = this.locationId.finish();
    checkIds('location', 'id', locationId.length, row => locationId[row], locations.duplicate);

    const lineStart = this.lineStart.finish();
    const lineKeys = this.lineFn.finish();
    const lineFn = new Int32Array(lineKeys.length);
    for (let location = 0; location < locationId.length; location++) {
      for (let i = lineStart[location]; i < lineStart[location + 1]; i++) {
        lineFn[i] = lineKeys[i] === 0 ? -1 : functions.rowOf(lineKeys[i]);
        if (lineFn[i] < 0) {
          throw new MalformedProfileError(`location id: ${locationId[location]} has a line with nil function`);
        }
      }
    }
    const locationMapping = Int32Array.from(this.locationMapping.finish(), key => (key === 0 ? -1 : mappings.rowOf(key)));

    return {
      sampleTypes: this.sampleTypes.map(([type, unit]) => ({ type: strings[type], unit: strings[unit] })),
      defaultSampleType: strings[this.defaultSampleType],
      samples: {
        length: this.sampleCount,
        stackStart: this.stackStart.finish(),
        stackLocations,
        values:
          this.sampleCount > 0
            ? this.values.map(column => column.finish())
            : this.sampleTypes.map(() => new Float64Array(0)),
        labelStart: this.labelStart.finish(),
        labels: {
          length: this.labelKey.length,
          key: this.labelKey.finish(),
          str: this.labelStr.finish(),
          num: this.labelNum.finish(),
          unit: this.labelUnit.finish(),
        },
      },
      mappings: this.mappings.map(row => this.mapping(row)),
      locations: {
        length: locationId.length,
        id: locationId,
        mapping: locationMapping,
        address: this.address.finish(),
        isFolded: Uint8Array.from(this.isFolded.finish()),
        lineStart,
        lines: {
          length: lineFn.length,
          fn: lineFn,
          line: this.lineNumber.finish(),
          column: this.lineColumn.finish(),
        },
      },
      functions: {
        length: functionId.length,
        id: functionId,
        name: this.functionName.finish(),
        systemName: this.functionSystemName.finish(),
        filename: this.functionFilename.finish(),
        startLine: this.startLine.finish(),
      },
      strings,
      comments: this.comments.map(index => strings[index]),
      docUrl: strings[this.docUrl],
      dropFrames: strings[this.dropFrames],
      keepFrames: strings[this.keepFrames],
      timeNanos: this.timeNanos,
      durationNanos: this.durationNanos,
      periodType: { type: strings[this.periodType[0]], unit: strings[this.periodType[1]] },
      period: this.period,
    };
  }

  private mapping(row: MappingRow): Mapping {
    return {
      id: row.id,
      start: row.start,
      limit: row.limit,
      offset: row.offset,
      file: this.strings[row.file],
      buildId: this.strings[row.buildId],
      hasFunctions: (row.flags & (1 << 7)) !== 0,
      hasFilenames: (row.flags & (1 << 8)) !== 0,
      hasLineNumbers: (row.flags & (1 << 9)) !== 0,
      hasInlineFrames: (row.flags & (1 << 10)) !== 0,
    };
  }
}

function resolveInPlace(keys: Uint32Array, index: ReturnType<IdIndex['finish']>): void {
  const { dense, rowOf } = index;
  if (dense !== undefined) {
    const size = dense.length;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const row = key < size ? dense[key] : -1;
      if (row < 0) throw new MalformedProfileError('sample has nil location');
      keys[i] = row;
    }
    return;
  }
  for (let i = 0; i < keys.length; i++) {
    const row = rowOf(keys[i]);
    if (row < 0) throw new MalformedProfileError('sample has nil location');
    keys[i] = row;
  }
}

function checkIds(
  what: string,
  word: string,
  length: number,
  idOf: (row: number) => bigint,
  duplicate: number,
): void {
  for (let row = 0; row < length; row++) {
    if (idOf(row) === 0n) throw new MalformedProfileError(`found ${what} with reserved ${word}=0`);
    if (row === duplicate) throw new MalformedProfileError(`multiple ${what}s with same id: ${idOf(row)}`);
  }
}
