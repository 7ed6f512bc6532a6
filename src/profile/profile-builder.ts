/**
 * Builds a Profile row by row, for formats that are read line by line.
 *
 *     const b = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
 *     const main = b.addLocation({ lines: [{ fn: b.internFunction('main.main', 'main.go'), line: 7 }] });
 *     b.addSample([main], [1], [{ key: 'controller', str: 'quota' }]);
 *     const profile = b.finish({ timeNanos: 0n });
 */
import { Int64ColumnBuilder } from '../base/int64.ts';
import type { Mapping, Profile, ValueType } from './profile.ts';

export interface LineRow {
  readonly fn: number;
  readonly line?: number | bigint;
  readonly column?: number | bigint;
}

export interface LocationRow {
  readonly id?: bigint;
  readonly mapping?: number;
  readonly address?: bigint;
  readonly isFolded?: boolean;
  readonly lines?: readonly LineRow[];
}

export interface LabelRow {
  readonly key: string;
  readonly str?: string;
  readonly num?: number | bigint;
  readonly unit?: string;
}

export type ProfileHeader = Partial<
  Omit<Profile, 'samples' | 'locations' | 'functions' | 'strings' | 'sampleTypes' | 'mappings'>
>;

/** A mapping about which nothing is known. */
export const BLANK_MAPPING: Mapping = {
  id: 1n,
  start: 0n,
  limit: 0n,
  offset: 0n,
  file: '',
  buildId: '',
  hasFunctions: false,
  hasFilenames: false,
  hasLineNumbers: false,
  hasInlineFrames: false,
};

export class ProfileBuilder {
  readonly mappings: Mapping[] = [];
  private readonly sampleTypes: readonly ValueType[];
  private readonly strings: string[] = [''];
  private readonly stringIndex = new Map<string, number>([['', 0]]);
  private readonly functionIndex = new Map<string, number>();
  private readonly fns = { id: [] as bigint[], name: [] as number[], system: [] as number[], file: [] as number[] };
  private readonly startLine = new Int64ColumnBuilder();
  private readonly locs = {
    id: [] as bigint[],
    mapping: [] as number[],
    address: [] as bigint[],
    isFolded: [] as number[],
    lineStart: [0] as number[],
  };
  private readonly lineFn: number[] = [];
  private readonly lineNumber = new Int64ColumnBuilder();
  private readonly lineColumn = new Int64ColumnBuilder();
  private readonly stackStart: number[] = [0];
  private readonly stackLocations: number[] = [];
  private readonly values: readonly Int64ColumnBuilder[];
  private readonly labelStart: number[] = [0];
  private readonly labels = { key: [] as number[], str: [] as number[], unit: [] as number[] };
  private readonly labelNum = new Int64ColumnBuilder();

  constructor(sampleTypes: readonly ValueType[]) {
    this.sampleTypes = sampleTypes;
    this.values = sampleTypes.map(() => new Int64ColumnBuilder());
  }

  get locationCount(): number {
    return this.locs.id.length;
  }

  get sampleCount(): number {
    return this.stackStart.length - 1;
  }

  internString(text: string): number {
    let index = this.stringIndex.get(text);
    if (index === undefined) {
      index = this.strings.length;
      this.strings.push(text);
      this.stringIndex.set(text, index);
    }
    return index;
  }

  /** The index of the function with this name, file and start line, added on first use. */
  internFunction(name: string, filename: string, systemName: string = name, startLine: number | bigint = 0): number {
    const nameIndex = this.internString(name);
    const systemIndex = this.internString(systemName);
    const fileIndex = this.internString(filename);
    const key = `${nameIndex},${systemIndex},${fileIndex},${startLine}`;
    const found = this.functionIndex.get(key);
    if (found !== undefined) return found;
    const index = this.fns.id.length;
    this.functionIndex.set(key, index);
    this.fns.id.push(BigInt(index + 1));
    this.fns.name.push(nameIndex);
    this.fns.system.push(systemIndex);
    this.fns.file.push(fileIndex);
    this.startLine.push(startLine);
    return index;
  }

  addMapping(mapping: Partial<Mapping>): number {
    this.mappings.push({ ...BLANK_MAPPING, id: BigInt(this.mappings.length + 1), ...mapping });
    return this.mappings.length - 1;
  }

  addLocation(row: LocationRow): number {
    const index = this.locs.id.length;
    this.locs.id.push(row.id ?? BigInt(index + 1));
    this.locs.mapping.push(row.mapping ?? -1);
    this.locs.address.push(row.address ?? 0n);
    this.locs.isFolded.push(row.isFolded === true ? 1 : 0);
    for (const line of row.lines ?? []) {
      this.lineFn.push(line.fn);
      this.lineNumber.push(line.line ?? 0);
      this.lineColumn.push(line.column ?? 0);
    }
    this.locs.lineStart.push(this.lineFn.length);
    return index;
  }

  /** Adds one sample; `locations` is leaf first and `values` has one entry per sample type. */
  addSample(
    locations: ArrayLike<number>,
    values: readonly (number | bigint)[],
    labels: readonly LabelRow[] = [],
  ): number {
    for (let i = 0; i < locations.length; i++) this.stackLocations.push(locations[i] ?? 0);
    this.stackStart.push(this.stackLocations.length);
    for (let t = 0; t < this.values.length; t++) this.values[t]?.push(values[t] ?? 0);
    for (const label of labels) {
      this.labels.key.push(this.internString(label.key));
      this.labels.str.push(label.str === undefined ? 0 : this.internString(label.str));
      this.labels.unit.push(label.unit === undefined ? 0 : this.internString(label.unit));
      this.labelNum.push(label.num ?? 0);
    }
    this.labelStart.push(this.labels.key.length);
    return this.stackStart.length - 2;
  }

  finish(header: ProfileHeader = {}): Profile {
    return {
      sampleTypes: this.sampleTypes,
      defaultSampleType: header.defaultSampleType ?? '',
      samples: {
        length: this.stackStart.length - 1,
        stackStart: Uint32Array.from(this.stackStart),
        stackLocations: Uint32Array.from(this.stackLocations),
        values: this.values.map(column => column.finish()),
        labelStart: Uint32Array.from(this.labelStart),
        labels: {
          length: this.labels.key.length,
          key: Uint32Array.from(this.labels.key),
          str: Uint32Array.from(this.labels.str),
          num: this.labelNum.finish(),
          unit: Uint32Array.from(this.labels.unit),
        },
      },
      mappings: this.mappings,
      locations: {
        length: this.locs.id.length,
        id: BigUint64Array.from(this.locs.id),
        mapping: Int32Array.from(this.locs.mapping),
        address: BigUint64Array.from(this.locs.address),
        isFolded: Uint8Array.from(this.locs.isFolded),
        lineStart: Uint32Array.from(this.locs.lineStart),
        lines: {
          length: this.lineFn.length,
          fn: Int32Array.from(this.lineFn),
          line: this.lineNumber.finish(),
          column: this.lineColumn.finish(),
        },
      },
      functions: {
        length: this.fns.id.length,
        id: BigUint64Array.from(this.fns.id),
        name: Uint32Array.from(this.fns.name),
        systemName: Uint32Array.from(this.fns.system),
        filename: Uint32Array.from(this.fns.file),
        startLine: this.startLine.finish(),
      },
      strings: this.strings,
      comments: header.comments ?? [],
      docUrl: header.docUrl ?? '',
      dropFrames: header.dropFrames ?? '',
      keepFrames: header.keepFrames ?? '',
      timeNanos: header.timeNanos ?? 0n,
      durationNanos: header.durationNanos ?? 0n,
      periodType: header.periodType ?? { type: '', unit: '' },
      period: header.period ?? 0n,
    };
  }
}
