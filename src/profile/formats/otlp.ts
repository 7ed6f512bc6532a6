/**
 * Profiles of OpenTelemetry: OTLP v1development, as protobuf and as JSON.
 *
 *     ProfilesData   resourceProfiles -> scopeProfiles -> profiles      one sample type each
 *                    dictionary                                         what all of them refer to, by index
 *     profile        sampleType, samples: stackIndex, values, attributeIndices
 *     dictionary     stackTable -> locationTable -> functionTable -> stringTable; mappingTable; attributeTable
 *
 * pprof has several sample types in one profile, so profiles of one file become columns of one profile: stacks with the
 * same attributes are one sample. Index 0 of each table stands for nothing.
 */
import { FormatError } from '../../base/errors.ts';
import { listOf, parseJson, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import type { Profile, ValueType } from '../profile.ts';
import { type LabelRow, ProfileBuilder } from '../profile-builder.ts';
import {
  MalformedProfileError,
  WIRE_BYTES,
  WIRE_FIXED32,
  WIRE_FIXED64,
  WIRE_VARINT,
  WireReader,
} from './pprof/wire.ts';

/** The dictionary is held as objects, which takes some ten times its size. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Field number -> name, and what it holds; a message by its name, with * if it repeats. */
const MESSAGES: Readonly<Record<string, Readonly<Record<number, readonly [name: string, type: string]>>>> = {
  ProfilesData: { 1: ['resourceProfiles', 'ResourceProfiles*'], 2: ['dictionary', 'Dictionary'] },
  Dictionary: {
    1: ['mappingTable', 'Mapping*'],
    2: ['locationTable', 'Location*'],
    3: ['functionTable', 'Function*'],
    5: ['stringTable', 'texts'],
    6: ['attributeTable', 'Attribute*'],
    7: ['stackTable', 'Stack*'],
  },
  ResourceProfiles: { 1: ['resource', 'Resource'], 2: ['scopeProfiles', 'ScopeProfiles*'] },
  Resource: { 1: ['attributes', 'KeyValue*'] },
  KeyValue: { 1: ['key', 'text'], 2: ['value', 'AnyValue'], 3: ['keyStrindex', 'number'] },
  ScopeProfiles: { 2: ['profiles', 'Profile*'] },
  Profile: {
    1: ['sampleType', 'ValueType'],
    2: ['samples', 'Sample*'],
    3: ['timeUnixNano', 'fixed'],
    4: ['durationNano', 'number'],
    5: ['periodType', 'ValueType'],
    6: ['period', 'number'],
  },
  ValueType: { 1: ['typeStrindex', 'number'], 2: ['unitStrindex', 'number'] },
  Sample: {
    1: ['stackIndex', 'number'],
    2: ['attributeIndices', 'numbers'],
    4: ['values', 'numbers'],
    5: ['timestampsUnixNano', 'fixed'],
  },
  Stack: { 1: ['locationIndices', 'numbers'] },
  Mapping: {
    1: ['memoryStart', 'number'],
    2: ['memoryLimit', 'number'],
    3: ['fileOffset', 'number'],
    4: ['filenameStrindex', 'number'],
  },
  Location: { 1: ['mappingIndex', 'number'], 2: ['address', 'number'], 3: ['lines', 'Line*'] },
  Line: { 1: ['functionIndex', 'number'], 2: ['line', 'number'], 3: ['column', 'number'] },
  Function: {
    1: ['nameStrindex', 'number'],
    2: ['systemNameStrindex', 'number'],
    3: ['filenameStrindex', 'number'],
    4: ['startLine', 'number'],
  },
  Attribute: { 1: ['keyStrindex', 'number'], 2: ['value', 'AnyValue'], 3: ['unitStrindex', 'number'] },
  AnyValue: { 1: ['stringValue', 'text'], 3: ['intValue', 'number'], 8: ['stringValueStrindex', 'number'] },
};

/** Whether a file is one, by its first fields; profile.proto begins alike, with other fields inside. */
export function sniffOtlp(bytes: Uint8Array, json: () => unknown): boolean {
  if (bytes[0] === 0x7b || bytes[0] === 0x5b) {
    if (!decodeText(bytes, 0, Math.min(bytes.length, 65_536)).includes('"resourceProfiles"')) return false;
    const { resourceProfiles, dictionary } = recordOf(json());
    return Array.isArray(resourceProfiles) && typeof dictionary === 'object';
  }
  if (bytes[0] !== 0x0a && bytes[0] !== 0x12) return false;
  try {
    const reader = new WireReader(bytes);
    reader.at = 1;
    const end = reader.extent();
    const inner = reader.bytes[reader.at] ?? 0;
    // A value type has numbers; a resource has messages.
    if (bytes[0] === 0x0a) return inner === 0x0a || inner === 0x12 || inner === 0x1a;
    // Fields that the samples of a profile.proto do not have.
    let known = false;
    while (reader.at < end) {
      reader.varint();
      const field = reader.lo >>> 3;
      if ((reader.lo & 7) !== WIRE_BYTES || field > 7) return false;
      known ||= field > 3;
      reader.at = reader.extent();
    }
    return known;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

export function readOtlp(bytes: Uint8Array): Profile {
  if (bytes.length > MAX_BYTES) throw new FormatError(`an OTLP profile of more than ${MAX_BYTES} bytes is not read`);
  const isJson = bytes[0] === 0x7b;
  const root = isJson
    ? recordOf(parseJson(decodeText(bytes)))
    : decode(new WireReader(bytes), 'ProfilesData', bytes.length);
  return new OtlpReader(root).read();
}

/** A message as JSON has it, by the names of its fields. */
function decode(reader: WireReader, message: string, end: number): JsonRecord {
  const fields = MESSAGES[message] ?? {};
  const out: Record<string, unknown> = {};
  while (reader.at < end) {
    reader.varint();
    const [wire, number] = [reader.lo & 7, reader.lo >>> 3];
    const [name, type] = fields[number] ?? ['', ''];
    if (name === '') {
      reader.skip(wire);
      continue;
    }
    const repeats = type.endsWith('*') || type === 'texts';
    const value = wire === WIRE_BYTES ? bytesField(reader, type) : scalar(reader, wire);
    if (reader.at > end) reader.fail(`the field ${name} does not fit its message`);
    if (repeats) (out[name] = (out[name] as unknown[] | undefined) ?? []) && (out[name] as unknown[]).push(value);
    else if (type === 'numbers' && !Array.isArray(value)) out[name] = [...listOf(out[name]), value];
    else if (type === 'numbers') out[name] = [...listOf(out[name]), ...(value as unknown[])];
    else out[name] = value;
  }
  return out;
}

function bytesField(reader: WireReader, type: string): unknown {
  const stop = reader.extent();
  if (type === 'text' || type === 'texts') {
    const text = decodeText(reader.bytes, reader.at, stop);
    reader.at = stop;
    return text;
  }
  if (type === 'numbers' || type === 'fixed') {
    const values: bigint[] = [];
    const wire = type === 'fixed' ? WIRE_FIXED64 : WIRE_VARINT;
    while (reader.at < stop) values.push(scalar(reader, wire));
    return values;
  }
  return decode(reader, type.replace('*', ''), stop);
}

function scalar(reader: WireReader, wire: number): bigint {
  if (wire === WIRE_VARINT) {
    reader.varint();
    return BigInt.asIntN(64, (BigInt(reader.hi) << 32n) | BigInt(reader.lo));
  }
  const size = wire === WIRE_FIXED64 ? 8 : wire === WIRE_FIXED32 ? 4 : reader.fail(`unknown wire type ${wire}`);
  if (reader.at + size > reader.end) reader.fail('not enough data for a fixed-size field');
  const view = new DataView(reader.bytes.buffer, reader.bytes.byteOffset + reader.at, size);
  reader.at += size;
  return size === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true));
}

/** JSON has 64-bit numbers as text. */
function big(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : 0n;
}

function index(value: unknown): number {
  return Number(big(value));
}

interface SampleSum {
  readonly stack: number;
  readonly labels: readonly LabelRow[];
  readonly values: bigint[];
}

class OtlpReader {
  readonly #strings: readonly string[];
  readonly #dictionary: JsonRecord;
  readonly #profiles: readonly JsonRecord[];
  readonly #binary: string;

  constructor(root: JsonRecord) {
    this.#dictionary = recordOf(root['dictionary']);
    this.#strings = listOf(this.#dictionary['stringTable']).map(textOf);
    const resources = listOf(root['resourceProfiles']).map(recordOf);
    this.#profiles = resources.flatMap(resource =>
      listOf(resource['scopeProfiles']).flatMap(scope => listOf(recordOf(scope)['profiles']).map(recordOf)),
    );
    this.#binary = this.#executable(resources);
  }

  read(): Profile {
    const types: ValueType[] = [];
    const columns = this.#profiles.map(profile => {
      const type = this.#valueType(profile['sampleType']);
      const at = types.findIndex(one => one.type === type.type && one.unit === type.unit);
      return at >= 0 ? at : types.push(type) - 1;
    });
    if (types.length === 0) throw new MalformedProfileError('an OTLP file without a profile');
    const builder = new ProfileBuilder(types);
    this.#addTables(builder);
    const stacks = this.#table('stackTable').map(stack =>
      listOf(stack['locationIndices']).flatMap(value => {
        const at = index(value);
        if (at < 0 || at >= builder.locationCount)
          throw new MalformedProfileError(`a stack refers to location ${at}, of ${builder.locationCount}`);
        return at === 0 ? [] : [at];
      }),
    );
    const sums = new Map<string, SampleSum>();
    for (const [i, profile] of this.#profiles.entries()) {
      for (const sample of listOf(profile['samples']).map(recordOf)) {
        const attributes = listOf(sample['attributeIndices']).map(index);
        const stack = index(sample['stackIndex']);
        if (stack < 0 || stack >= Math.max(stacks.length, 1))
          throw new MalformedProfileError(`a sample refers to stack ${stack}, of ${stacks.length}`);
        const key = `${stack};${attributes.join(',')}`;
        const sum = sums.get(key) ?? { stack, labels: this.#labels(attributes), values: types.map(() => 0n) };
        sums.set(key, sum);
        const column = columns[i] ?? 0;
        sum.values[column] = (sum.values[column] ?? 0n) + valueOf(sample);
      }
    }
    for (const { stack, labels, values } of sums.values()) builder.addSample(stacks[stack] ?? [], values, labels);
    const [first = {}] = this.#profiles;
    return builder.finish({
      timeNanos: big(first['timeUnixNano']),
      durationNanos: big(first['durationNano']),
      periodType: this.#valueType(first['periodType']),
      period: big(first['period']),
    });
  }

  /** Locations keep their indexes; 0 is never referred to. */
  #addTables(builder: ProfileBuilder): void {
    const mappings = this.#table('mappingTable');
    for (const [at, mapping] of mappings.entries()) {
      if (at === 0) continue;
      builder.addMapping({
        start: big(mapping['memoryStart']),
        limit: big(mapping['memoryLimit']),
        offset: big(mapping['fileOffset']),
        file: this.#string(mapping['filenameStrindex']) || this.#binary,
        hasFunctions: true,
        hasFilenames: true,
        hasLineNumbers: true,
      });
    }
    if (mappings.length < 2 && this.#binary !== '') builder.addMapping({ file: this.#binary, hasFunctions: true });
    const functions = this.#table('functionTable').map(fn =>
      builder.internFunction(
        this.#string(fn['nameStrindex']),
        this.#string(fn['filenameStrindex']),
        this.#string(fn['systemNameStrindex']) || this.#string(fn['nameStrindex']),
        big(fn['startLine']),
      ),
    );
    for (const location of this.#table('locationTable')) {
      const lines = listOf(location['lines'])
        .map(recordOf)
        .map(line => {
          const fn = functions[index(line['functionIndex'])];
          if (fn === undefined)
            throw new MalformedProfileError(
              `a line refers to function ${index(line['functionIndex'])}, of ${functions.length}`,
            );
          return { fn, line: big(line['line']), column: big(line['column']) };
        });
      const mapping = index(location['mappingIndex']) - 1;
      builder.addLocation({
        address: BigInt.asUintN(64, big(location['address'])),
        mapping: mapping < builder.mappings.length ? mapping : -1,
        lines,
      });
    }
  }

  #table(name: string): JsonRecord[] {
    return listOf(this.#dictionary[name]).map(recordOf);
  }

  #string(at: unknown): string {
    return this.#strings[index(at)] ?? '';
  }

  #valueType(value: unknown): ValueType {
    const { typeStrindex, unitStrindex } = recordOf(value);
    return { type: this.#string(typeStrindex), unit: this.#string(unitStrindex) };
  }

  #labels(attributes: readonly number[]): LabelRow[] {
    const table = listOf(this.#dictionary['attributeTable']);
    return attributes.flatMap((at): LabelRow[] => {
      const { keyStrindex, value, unitStrindex } = recordOf(table[at]);
      const key = this.#string(keyStrindex);
      if (key === '') return [];
      const { intValue } = recordOf(value);
      if (intValue !== undefined) return [{ key, num: big(intValue), unit: this.#string(unitStrindex) }];
      return [{ key, str: this.#anyText(value) }];
    });
  }

  #anyText(value: unknown): string {
    const { stringValue, stringValueStrindex } = recordOf(value);
    return stringValueStrindex === undefined ? textOf(stringValue) : this.#string(stringValueStrindex);
  }

  /** What the resource calls the program. */
  #executable(resources: readonly JsonRecord[]): string {
    const attributes = resources.flatMap(resource =>
      listOf(recordOf(resource['resource'])['attributes']).map(recordOf),
    );
    const named = (name: string): string =>
      attributes.flatMap(({ key, keyStrindex, value }) =>
        (textOf(key) || this.#string(keyStrindex)) === name ? [this.#anyText(value)] : [],
      )[0] ?? '';
    return named('process.executable.path') || named('process.executable.name') || named('service.name');
  }
}

/** A sample without values counts its times. */
function valueOf(sample: JsonRecord): bigint {
  const values = listOf(sample['values']);
  if (values.length > 0) return values.reduce<bigint>((sum, value) => sum + big(value), 0n);
  return BigInt(listOf(sample['timestampsUnixNano']).length || 1);
}
