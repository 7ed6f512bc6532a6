/** The tables of a profile.proto: mappings, locations with their lines, functions. */
import { Uint32ColumnBuilder, Uint64ColumnBuilder } from '../../../base/columns.ts';
import { Int64ColumnBuilder } from '../../../base/int64.ts';
import type { FunctionTable, LocationTable, Mapping } from '../../profile.ts';
import { type FieldReader, MalformedProfileError } from './wire.ts';

interface MappingRow {
  id: bigint;
  start: bigint;
  limit: bigint;
  offset: bigint;
  file: number;
  buildId: number;
  flags: number;
}

export class TableDecoder {
  readonly locationIds: IdIndex = new IdIndex();
  private readonly fields: FieldReader;
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

  constructor(fields: FieldReader) {
    this.fields = fields;
    this.lineStart.push(0);
  }

  location(): void {
    const { reader } = this.fields;
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
          this.fields.varint(tag & 7);
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case 2:
          this.fields.varint(tag & 7);
          mapping = this.mappingIds.key(reader.lo, reader.hi);
          break;
        case 3:
          this.fields.varint(tag & 7);
          addressLo = reader.lo;
          addressHi = reader.hi;
          break;
        case 4:
          this.fields.enter(tag & 7);
          this.line();
          reader.end = end;
          break;
        case 5:
          this.fields.varint(tag & 7);
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

  private line(): void {
    const { reader } = this.fields;
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
      this.fields.varint(tag & 7);
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

  fn(): void {
    const { reader } = this.fields;
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
          this.fields.varint(tag & 7);
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case 2:
          name = this.fields.string(tag & 7);
          break;
        case 3:
          systemName = this.fields.string(tag & 7);
          break;
        case 4:
          filename = this.fields.string(tag & 7);
          break;
        case 5:
          this.fields.varint(tag & 7);
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

  mapping(): void {
    const { reader } = this.fields;
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
      this.fields.varint(tag & 7);
      if (field === 1) {
        row.id = uint64();
        key = this.mappingIds.key(reader.lo, reader.hi);
      } else if (field === 2) row.start = uint64();
      else if (field === 3) row.limit = uint64();
      else if (field === 4) row.offset = uint64();
      else if (field === 5) row.file = this.fields.stringIndex();
      else if (field === 6) row.buildId = this.fields.stringIndex();
      else if (reader.lo !== 0 || reader.hi !== 0) row.flags |= 1 << field;
      else row.flags &= ~(1 << field);
    }
    this.mappingIds.define(key);
    this.mappings.push(row);
  }

  /** Resolves ids to rows, and checks them in pprof's order; `locations` are the already resolved location ids. */
  finish(
    locations: ResolvedIds,
    strings: readonly string[],
  ): { readonly locations: LocationTable; readonly functions: FunctionTable; readonly mappings: readonly Mapping[] } {
    const mappings = this.mappingIds.finish();
    checkIds('mapping', 'ID', mappings.bad, row => this.mappings[row].id);
    const functions = this.functionIds.finish();
    const functionId = this.functionId.finish();
    checkIds('function', 'ID', functions.bad, row => functionId[row]);
    const locationId = this.locationId.finish();
    checkIds('location', 'id', locations.bad, row => locationId[row]);

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
    return {
      locations: {
        length: locationId.length,
        id: locationId,
        mapping: Int32Array.from(this.locationMapping.finish(), key => (key === 0 ? -1 : mappings.rowOf(key))),
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
      mappings: this.mappings.map(row => ({
        id: row.id,
        start: row.start,
        limit: row.limit,
        offset: row.offset,
        file: strings[row.file],
        buildId: strings[row.buildId],
        hasFunctions: (row.flags & (1 << 7)) !== 0,
        hasFilenames: (row.flags & (1 << 8)) !== 0,
        hasLineNumbers: (row.flags & (1 << 9)) !== 0,
        hasInlineFrames: (row.flags & (1 << 10)) !== 0,
      })),
    };
  }
}

function checkIds(what: string, word: string, bad: number, idOf: (row: number) => bigint): void {
  if (bad < 0) return;
  if (idOf(bad) === 0n) throw new MalformedProfileError(`found ${what} with reserved ${word}=0`);
  throw new MalformedProfileError(`multiple ${what}s with same id: ${idOf(bad)}`);
}

/**
 * Ids of locations, functions and mappings are arbitrary non-zero 64-bit numbers, and may be used before they are
 * defined. While reading, an id is a 32-bit key; at the end, keys become indexes.
 *
 *     id < 2^31    its key is the id itself
 *     otherwise    2^31 + the order in which it was first seen
 */
const BIG = 0x80000000;

export interface ResolvedIds {
  /** The row of a key, -1 for a key never defined. */
  readonly rowOf: (key: number) => number;
  /** The same as an array, when keys are dense enough for one. */
  readonly dense: Int32Array | undefined;
  /** The first row whose key was already taken, or is 0, which is reserved; -1 when there is none. */
  readonly bad: number;
}

export class IdIndex {
  private readonly big = new Map<bigint, number>();
  private readonly keys: number[] = [];

  key(lo: number, hi: number): number {
    if (hi === 0 && lo < BIG) return lo;
    const id = (BigInt(hi) << 32n) | BigInt(lo);
    let key = this.big.get(id);
    if (key === undefined) {
      key = BIG + this.big.size;
      this.big.set(id, key);
    }
    return key;
  }

  /** Says that the next row of the table has this key. */
  define(key: number): void {
    this.keys.push(key);
  }

  finish(): ResolvedIds {
    const { keys } = this;
    let largest = 0;
    for (const key of keys) if (key > largest) largest = key;
    let bad = -1;
    if (largest <= keys.length * 4 + 4096) {
      const dense = new Int32Array(largest + 1).fill(-1);
      keys.forEach((key, row) => {
        if (bad < 0 && (key === 0 || dense[key] >= 0)) bad = row;
        dense[key] = row;
      });
      return { rowOf: key => (key <= largest ? dense[key] : -1), dense, bad };
    }
    const sparse = new Map<number, number>();
    keys.forEach((key, row) => {
      if (bad < 0 && (key === 0 || sparse.has(key))) bad = row;
      sparse.set(key, row);
    });
    return { rowOf: key => sparse.get(key) ?? -1, dense: undefined, bad };
  }
}
