/**
 * A chunk as bytes, deflated; the checksum of zlib detects damage.
 *
 *     version, point count, times, column count, then per column: metric, byte length, plain?, values [, lows, highs]
 */
import { FormatError } from '../../base/errors.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { type Chunk, type ChunkColumn, isPlainColumn, valueAt } from './chunk.ts';
import { inflate, type Zlib } from './store-limits.ts';

const VERSION = 1;
const MAX_POINTS = 1_000_000;

export function encodeChunk(zlib: Zlib, { times, columns }: Chunk): Uint8Array {
  const whole = new ByteWriter(64 * 1024);
  const one = new ByteWriter(16 * 1024);
  whole.byte(VERSION);
  whole.varint(times.length);
  writeColumn(whole, times);
  whole.varint(columns.size);
  for (const [metric, column] of columns) {
    one.clear();
    const isPlain = isPlainColumn(column);
    one.byte(isPlain ? 1 : 0);
    writeColumn(one, column.values);
    if (!isPlain) {
      writeColumn(one, column.lows);
      writeColumn(one, column.highs);
    }
    whole.varint(metric);
    whole.varint(one.length);
    whole.bytes(one.written());
  }
  return zlib.deflateSync(whole.written());
}

/** Only the wanted metrics, if given. Throws a FormatError. */
export function decodeChunk(zlib: Zlib, bytes: Uint8Array, wanted?: ReadonlySet<number>): Chunk {
  const reader = new ByteReader(inflate(zlib, bytes));
  const version = reader.byte();
  if (version !== VERSION) throw new FormatError(`a chunk of version ${version}`);
  const count = reader.varint();
  if (count > MAX_POINTS) throw new FormatError(`a chunk of ${count} points`);
  const times = readColumn(reader, count);
  const columns = new Map<number, ChunkColumn>();
  for (let left = reader.varint(); left > 0; left--) {
    const metric = reader.varint();
    const body = reader.bytes(reader.varint());
    if (wanted === undefined || wanted.has(metric)) columns.set(metric, readChunkColumn(new ByteReader(body), count));
  }
  return { times, columns };
}

function readChunkColumn(reader: ByteReader, count: number): ChunkColumn {
  const isPlain = reader.byte() === 1;
  const values = readColumn(reader, count);
  if (isPlain) return { values, lows: values, highs: values };
  return { values, lows: readColumn(reader, count), highs: readColumn(reader, count) };
}

const CONSTANT = 0;
const STEPS = 1;
const RAW = 2;
const MISSING = 0x80;

const MAX_EXPONENT = 3;
/** Differences of two of these still fit a zigzag varint. */
const MAX_STEP_VALUE = 2 ** 50;

/**
 * The values of one metric in few bytes, exact to the last bit. NaN means missing.
 *
 *     kind | MISSING?   bitmap of the values that are there, if some are missing
 *     constant          float64
 *     steps             exponent, first, unit, then (v[i] - v[i-1]) / unit; v = value * 10^exponent, an integer
 *     raw               float64 each
 *
 * Counts, bytes and counters are integers; CPU seconds and start times have two decimals; memory changes by whole pages,
 * which is what the unit is for.
 */
export function writeColumn(writer: ByteWriter, column: Float64Array): void {
  const present = column.every(value => !Number.isNaN(value)) ? column : column.filter(value => !Number.isNaN(value));
  const missing = present.length < column.length ? MISSING : 0;
  const begin = (kind: number): void => {
    writer.byte(kind | missing);
    if (missing !== 0) writer.bytes(bitmapOf(column));
  };
  const first = valueAt(present, 0);
  if (present.every(value => Object.is(value, first))) {
    begin(CONSTANT);
    writer.float64(first);
    return;
  }
  const exponent = exponentOf(present);
  if (exponent === undefined) {
    begin(RAW);
    for (const value of present) writer.float64(value);
    return;
  }
  begin(STEPS);
  const whole = present.map(value => Math.round(value * 10 ** exponent));
  const step = (i: number): number => valueAt(whole, i) - valueAt(whole, i - 1);
  let unit = 0;
  for (let i = 1; i < whole.length && unit !== 1; i++) unit = greatestDivisor(unit, Math.abs(step(i)));
  writer.byte(exponent);
  writer.zigzag(valueAt(whole, 0));
  writer.varint(unit);
  for (let i = 1; i < whole.length; i++) writer.zigzag(step(i) / unit);
}

export function readColumn(reader: ByteReader, length: number): Float64Array {
  const head = reader.byte();
  const bitmap = (head & MISSING) === 0 ? undefined : reader.bytes(Math.ceil(length / 8));
  const count = bitmap === undefined ? length : countOf(bitmap, length);
  const present = readPresent(reader, head & ~MISSING, count);
  if (bitmap === undefined) return present;
  const column = new Float64Array(length).fill(NaN);
  for (let i = 0, next = 0; i < length; i++) if (isSet(bitmap, i)) column[i] = valueAt(present, next++);
  return column;
}

function readPresent(reader: ByteReader, kind: number, count: number): Float64Array {
  const values = new Float64Array(count);
  switch (kind) {
    case CONSTANT:
      return values.fill(reader.float64());
    case RAW:
      for (let i = 0; i < count; i++) values[i] = reader.float64();
      return values;
    case STEPS: {
      const scale = 10 ** reader.byte();
      let whole = reader.zigzag();
      const unit = reader.varint();
      values[0] = whole / scale;
      for (let i = 1; i < count; i++) values[i] = (whole += reader.zigzag() * unit) / scale;
      return values;
    }
    default:
      throw new FormatError(`a column of kind ${kind}`);
  }
}

/** The number of decimals that turns all values into integers and back without loss; undefined if there is none. */
function exponentOf(values: Float64Array): number | undefined {
  let exponent = 0;
  for (const value of values) {
    while (!isWhole(value, 10 ** exponent)) if (++exponent > MAX_EXPONENT) return undefined;
  }
  // More decimals for one value may be too many for an earlier one.
  return values.every(value => isWhole(value, 10 ** exponent)) ? exponent : undefined;
}

function isWhole(value: number, scale: number): boolean {
  // Plus 0: a negative zero would come back as zero, so it is stored raw.
  const whole = Math.round(value * scale) + 0;
  return Math.abs(whole) <= MAX_STEP_VALUE && Object.is(whole / scale, value);
}

function greatestDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

function bitmapOf(column: Float64Array): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(column.length / 8));
  for (let i = 0; i < column.length; i++) {
    if (!Number.isNaN(valueAt(column, i))) bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return bitmap;
}

function isSet(bitmap: Uint8Array, i: number): boolean {
  return ((bitmap[i >> 3] ?? 0) & (1 << (i & 7))) !== 0;
}

function countOf(bitmap: Uint8Array, length: number): number {
  let count = 0;
  for (let i = 0; i < length; i++) if (isSet(bitmap, i)) count++;
  return count;
}
