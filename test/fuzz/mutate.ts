/** Damage as it occurs in real input: bits, bytes, cuts, repeats, swaps, numbers that are too large, splices. */
import { gzipSync } from 'node:zlib';
import { concatBytes, encodeText } from '../../src/base/text.ts';
import type { Specimen } from './corpus.ts';
import type { Random } from './random.ts';

export interface Mutant {
  readonly bytes: Uint8Array;
  /** What was done, for the report. */
  readonly history: readonly string[];
}

type Mutation = (bytes: Uint8Array, random: Random, others: readonly Specimen[]) => Uint8Array;

const splice = (bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array =>
  concatBytes([bytes.subarray(0, at), insert, bytes.subarray(Math.min(at + remove, bytes.length))]);

const randomBytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => random.below(256));

const BIG_NUMBERS = [
  '0',
  '-1',
  '1',
  '2147483648',
  '4294967295',
  '4294967296',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551615',
  '18446744073709551616',
  '99999999999999999999999999',
  '0xffffffffffffffff',
  '0x10000000000000000',
  '1e308',
  '1e999',
  'NaN',
  'Inf',
];

/** Varints that hurt: lengths, ids and indexes beyond every table. */
const BIG_VARINTS = [
  [0x00],
  [0x7f],
  [0xff, 0x01],
  [0xff, 0xff, 0x03],
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0x80, 0x80, 0x80, 0x80, 0x10],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
];

const WORDS = [
  '\n',
  '\r\n',
  '\t',
  '\0',
  ' ',
  ';',
  ':',
  '@',
  '#',
  '# labels: {"a":"b"}\n',
  '\x1b[31m',
  '\u{1f600}',
  '\n\n\n',
  'goroutine 1 [running]:\n',
  'created by main.main in goroutine 1\n',
  '...additional frames elided...\n',
  '1 @ 0x1 0x2\n',
  'goroutine profile: total 3\n',
  'heap profile: 1: 2 [3: 4] @ heap/0\n',
  '--- mutex:\ncycles/second=0\nsampling period=0\n',
  '--- contentionz 1 ---\n',
  'MAPPED_LIBRARIES:\n',
];

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flip bits': (bytes, random) => {
    const out = bytes.slice();
    for (let n = random.below(6) + 1; n > 0 && out.length > 0; n--) {
      out[random.below(out.length)] ^= 1 << random.below(8);
    }
    return out;
  },
  'set bytes': (bytes, random) => {
    const out = bytes.slice();
    for (let n = random.below(4) + 1; n > 0 && out.length > 0; n--) {
      out[random.below(out.length)] = random.pick([0, 1, 0x7f, 0x80, 0xff, 10, 32, random.below(256)]);
    }
    return out;
  },
  'insert bytes': (bytes, random) =>
    splice(bytes, random.below(bytes.length + 1), 0, randomBytes(random, random.below(16) + 1)),
  'delete bytes': (bytes, random) =>
    splice(bytes, random.below(bytes.length), random.below(random.chance(4) ? 4096 : 16) + 1, new Uint8Array(0)),
  cut: (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  'cut the front': (bytes, random) => bytes.slice(random.below(Math.min(bytes.length, 256))),
  'repeat a part': (bytes, random) => {
    const from = random.below(bytes.length);
    const part = bytes.subarray(from, from + random.below(Math.min(bytes.length - from, 2048)) + 1);
    const times = random.chance(20) ? 40 : random.below(3) + 1;
    return splice(bytes, from, 0, concatBytes(Array.from({ length: times }, () => part)));
  },
  'swap parts': (bytes, random) => {
    const size = random.below(Math.min(512, bytes.length >> 1)) + 1;
    const a = random.below(Math.max(bytes.length - size, 1));
    const b = random.below(Math.max(bytes.length - size, 1));
    const out = bytes.slice();
    out.set(bytes.subarray(b, Math.min(b + size, bytes.length - Math.max(0, a - b))), a);
    out.set(bytes.subarray(a, Math.min(a + size, bytes.length - Math.max(0, b - a))), b);
    return out;
  },
  'blow up a number': (bytes, random) => {
    const at = nextDigit(bytes, random.below(bytes.length));
    if (at < 0) return splice(bytes, random.below(bytes.length), 1, encodeText(random.pick(BIG_NUMBERS)));
    let end = at;
    while (end < bytes.length && isDigit(bytes[end])) end++;
    return splice(bytes, at, end - at, encodeText(random.pick(BIG_NUMBERS)));
  },
  'blow up a varint': (bytes, random) => {
    const at = random.below(bytes.length);
    let size = 1;
    while (size < 10 && bytes[at + size - 1] >= 0x80) size++;
    return splice(bytes, at, size, Uint8Array.from(random.pick(BIG_VARINTS)));
  },
  'insert a word': (bytes, random) => splice(bytes, random.below(bytes.length + 1), 0, encodeText(random.pick(WORDS))),
  'swap lines': (bytes, random) => {
    const lines = linesOf(bytes);
    const a = random.below(lines.length);
    const b = random.below(lines.length);
    [lines[a], lines[b]] = [lines[b], lines[a]];
    return concatBytes(lines);
  },
  'drop lines': (bytes, random) => {
    const lines = linesOf(bytes);
    lines.splice(random.below(lines.length), random.below(random.chance(4) ? 50 : 3) + 1);
    return concatBytes(lines);
  },
  'join with another': (bytes, random, others) => {
    const other = random.pick(others).bytes;
    const head = bytes.subarray(0, random.below(bytes.length + 1));
    return concatBytes([head, other.subarray(random.below(other.length))]);
  },
};

const NAMES = Object.keys(MUTATIONS);

/** Damage that keeps the outer structure of a message, so that its content is read. */
const FIELD_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'drop fields': (bytes, random) => {
    const fields = fieldsOf(bytes);
    fields.splice(random.below(fields.length), random.below(random.chance(4) ? 20 : 2) + 1);
    return concatBytes(fields);
  },
  'repeat fields': (bytes, random) => {
    const fields = fieldsOf(bytes);
    const from = random.below(fields.length);
    fields.splice(random.below(fields.length), 0, ...fields.slice(from, from + random.below(5) + 1));
    return concatBytes(fields);
  },
  'move fields': (bytes, random) => {
    const fields = fieldsOf(bytes);
    const moved = fields.splice(random.below(fields.length), random.below(fields.length) + 1);
    fields.splice(random.below(fields.length + 1), 0, ...moved);
    return concatBytes(fields);
  },
  'change a byte of a field': (bytes, random) => {
    const fields = fieldsOf(bytes);
    const at = random.below(fields.length);
    const field = fields[at].slice();
    if (field.length > 2)
      field[2 + random.below(field.length - 2)] = random.pick([0, 1, 2, 3, 8, 0x7f, random.below(128)]);
    fields[at] = field;
    return concatBytes(fields);
  },
  'add a number to a field': (bytes, random) => {
    const fields = fieldsOf(bytes);
    const at = random.below(fields.length);
    const field = fields[at];
    if ((field[0] & 7) !== 2 || field.length < 2 || field[1] >= 0x60) return bytes;
    const extra = [(random.below(12) << 3) & 0x7f, ...random.pick(BIG_VARINTS)];
    fields[at] = concatBytes([
      Uint8Array.of(field[0], field[1] + extra.length),
      field.subarray(2),
      Uint8Array.from(extra),
    ]);
    return concatBytes(fields);
  },
};

const FIELD_NAMES = Object.keys(FIELD_MUTATIONS);

/** The top-level fields of a protobuf message; anything that is not a field is one piece at the end. */
function fieldsOf(bytes: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = [];
  const varint = (at: number): readonly [value: number, next: number] => {
    let value = 0;
    let scale = 1;
    for (let i = at; i < bytes.length && i < at + 10; i++) {
      value += (bytes[i] & 0x7f) * scale;
      scale *= 128;
      if (bytes[i] < 0x80) return [value, i + 1];
    }
    return [0, bytes.length + 1];
  };
  let at = 0;
  while (at < bytes.length) {
    const [tag, content] = varint(at);
    const [length, next] = varint(content);
    const wireType = tag % 8;
    const end = wireType === 2 ? next + length : wireType === 0 ? next : bytes.length + 1;
    if (end > bytes.length) break;
    fields.push(bytes.subarray(at, end));
    at = end;
  }
  if (at < bytes.length || fields.length === 0) fields.push(bytes.subarray(at));
  return fields;
}

export function mutate(specimen: Specimen, others: readonly Specimen[], random: Random, isProto: boolean): Mutant {
  let { bytes } = specimen;
  const history: string[] = [specimen.name];
  for (let n = random.chance(3) ? random.below(5) + 2 : 1; n > 0 && bytes.length > 0; n--) {
    const byField = isProto && !random.chance(4);
    const name = random.pick(byField ? FIELD_NAMES : NAMES);
    bytes = (byField ? FIELD_MUTATIONS : MUTATIONS)[name](bytes, random, others);
    history.push(name);
    if (bytes.length > 1 << 20) bytes = bytes.slice(0, 1 << 20);
  }
  if (random.chance(16)) {
    history.push('gzip');
    bytes = gzipSync(bytes, { level: 1 });
    if (random.chance(4) && bytes.length > 0) {
      history.push('damage the gzip');
      bytes = MUTATIONS[random.pick(['flip bits', 'cut', 'delete bytes', 'repeat a part'])](bytes, random, others);
    }
  }
  return { bytes, history };
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function nextDigit(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length && i < from + 4096; i++) if (isDigit(bytes[i])) return i;
  return -1;
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}
