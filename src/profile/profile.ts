/**
 * A profile: stacks with values, in columns.
 *
 *     samples     stackStart  0 ----- 3 -- 5        (n + 1 offsets)
 *                             |       |
 *     stackLocations         [7 2 0] [9 0]          leaf first; indexes into `locations`
 *     values[t]              [v0]    [v1]           one column per sample type
 *     labelStart -> labels   key, str | num, unit   string indexes into `strings`
 *
 *     locations   lineStart -> lines                innermost (inlined) line first, the physical caller last
 *     lines       fn -> functions                   -1 when a line has none
 *     functions   name, systemName, filename        string indexes into `strings`
 *
 * Everything except ids refers by index; ids are kept because pprof prints them and writes them back.
 * `strings[0]` is always ''. The fields follow google/pprof's profile.proto.
 */
import type { Int64Column } from '../base/int64.ts';

export interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface LabelTable {
  readonly length: number;
  readonly key: Uint32Array;
  /** String index of the value; 0 makes it a numeric label. */
  readonly str: Uint32Array;
  readonly num: Int64Column;
  /** String index of the unit of `num`; 0 if none was given. */
  readonly unit: Uint32Array;
}

export interface SampleTable {
  readonly length: number;
  readonly stackStart: Uint32Array;
  /** Two bytes each if that is enough. */
  readonly stackLocations: Uint16Array | Uint32Array;
  readonly values: readonly Int64Column[];
  readonly labelStart: Uint32Array;
  readonly labels: LabelTable;
}

export interface LineTable {
  readonly length: number;
  readonly fn: Int32Array;
  readonly line: Int64Column;
  readonly column: Int64Column;
}

export interface LocationTable {
  readonly length: number;
  readonly id: BigUint64Array;
  /** Index into `mappings`, -1 if there is none. */
  readonly mapping: Int32Array;
  readonly address: BigUint64Array;
  readonly isFolded: Uint8Array;
  readonly lineStart: Uint32Array;
  readonly lines: LineTable;
}

export interface FunctionTable {
  readonly length: number;
  readonly id: BigUint64Array;
  readonly name: Uint32Array;
  readonly systemName: Uint32Array;
  readonly filename: Uint32Array;
  readonly startLine: Int64Column;
}

export interface Mapping {
  readonly id: bigint;
  readonly start: bigint;
  readonly limit: bigint;
  readonly offset: bigint;
  readonly file: string;
  readonly buildId: string;
  readonly hasFunctions: boolean;
  readonly hasFilenames: boolean;
  readonly hasLineNumbers: boolean;
  readonly hasInlineFrames: boolean;
}

export interface Profile {
  readonly sampleTypes: readonly ValueType[];
  readonly defaultSampleType: string;
  readonly samples: SampleTable;
  readonly mappings: readonly Mapping[];
  readonly locations: LocationTable;
  readonly functions: FunctionTable;
  readonly strings: readonly string[];
  readonly comments: readonly string[];
  readonly docUrl: string;
  readonly dropFrames: string;
  readonly keepFrames: string;
  readonly timeNanos: bigint;
  readonly durationNanos: bigint;
  readonly periodType: ValueType;
  readonly period: bigint;
}
