/**
 * A chunk as bytes, deflated; the checksum of zlib detects damage.
 *
 *     version, point count, times, column count, then per column: metric, byte length, plain?, values [, lows, highs]
 */
import { FormatError } from '../../base/errors.ts';
import { ByteReader, ByteWriter } from './byte-stream.ts';
import { type Chunk, type ChunkColumn, isPlainColumn } from './chunk.ts';
import { readColumn, writeColumn } from './column-codec.ts';
import { inflate, type Zlib } from './store-limits.ts';

const VERSION = 1;
const MAX_POINTS = 1_000_000;

const whole = new ByteWriter(64 * 1024);
const one = new ByteWriter(16 * 1024);

export function encodeChunk(zlib: Zlib, { times, columns }: Chunk): Uint8Array {
  whole.clear();
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
