/**
 * Reads profiles from files and streams.
 *
 * A profile.proto is decoded while it is being decompressed, so its encoded form is never in memory as a whole. Text
 * is gathered first. Both stop at a cap: a gzip bomb is an error, not an outage.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';
import { isGzip } from '../../base/sniff.ts';
import { joinBytes } from '../../base/text.ts';
import type { Reading, ReadOptions } from '../formats/read.ts';
import { ProfileDecoder, mayBeOtherFormat, mayBeProto } from '../../profile/formats/pprof/decode.ts';

export interface ReadLimits {
  /** Decompressed bytes at which reading stops. */
  readonly maxBytes: number;
}

export const DEFAULT_LIMITS: ReadLimits = { maxBytes: 2 ** 30 };

const CHUNK_BYTES = 256 * 1024;

/** Bytes that can be read from the start more than once. */
interface ByteSource {
  readonly stream: () => AsyncIterable<Uint8Array>;
  /** The decompressed size, as far as it is known; a hint only. */
  readonly sizeHint: number;
}

export class TooLargeError extends FormatError {
  constructor(message: string, where: { readonly offset?: number } = {}) {
    super(message, where, 'too-large');
  }
}

export async function readProfileFile(
  path: string,
  options: ReadOptions = {},
  limits: ReadLimits = DEFAULT_LIMITS,
): Promise<Reading> {
  return readProfileSource(await fileSource(path, limits), options, limits);
}

export async function readProfileBytes(
  bytes: Uint8Array,
  options: ReadOptions = {},
  limits: ReadLimits = DEFAULT_LIMITS,
): Promise<Reading> {
  const source: ByteSource = { stream: () => Readable.from([bytes]), sizeHint: uncompressedSize(bytes) };
  return readProfileSource(source, options, limits);
}

async function fileSource(path: string, limits: ReadLimits): Promise<ByteSource> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const ends = new Uint8Array(6);
    // A pipe has no size and cannot be read twice, so its content is kept.
    if (size === 0) {
      const content = await gatherBounded(file.createReadStream({ autoClose: false }), limits);
      return { stream: () => Readable.from([content]), sizeHint: uncompressedSize(content) };
    }
    await file.read(ends, 0, 2, 0);
    if (size >= 6) await file.read(ends, 2, 4, size - 4);
    const sizeHint = isGzip(ends) ? gzipTrailerSize(ends.subarray(2), size) : size;
    return { stream: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }), sizeHint };
  } finally {
    await file.close();
  }
}

/** All of a stream that can be read only once; no compression makes content larger by enough to matter here. */
export async function gatherBounded(stream: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.length;
    if (total > limits.maxBytes) throw tooLarge(limits);
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

function tooLarge({ maxBytes }: ReadLimits): TooLargeError {
  return new TooLargeError(`larger than ${maxBytes} bytes when decompressed; set OAKUM_MAX_BYTES to read more`, {
    offset: maxBytes,
  });
}

function uncompressedSize(bytes: Uint8Array): number {
  return isGzip(bytes) && bytes.length >= 18 ? gzipTrailerSize(bytes.subarray(-4), bytes.length) : bytes.length;
}

/** The size modulo 2^32 at the end of a gzip file, capped at what deflate can reach. */
function gzipTrailerSize(trailer: Uint8Array, compressedBytes: number): number {
  const size = new DataView(trailer.buffer, trailer.byteOffset, 4).getUint32(0, true);
  return Math.min(size, compressedBytes * 1032);
}

async function readProfileSource(source: ByteSource, options: ReadOptions, limits: ReadLimits): Promise<Reading> {
  const streamed = await decodeStreamed(source, limits, options.labels ?? true);
  if (streamed !== undefined) return streamed;
  const bytes = await gather(source, limits);
  const { readAny } = await import('../formats/read.ts');
  return readAny(bytes, options);
}

/** Decodes profile.proto as it arrives; undefined when the content is something else. */
async function decodeStreamed(source: ByteSource, limits: ReadLimits, labels: boolean): Promise<Reading | undefined> {
  let decoder: ProfileDecoder | undefined;
  try {
    for await (const chunk of decompressed(source, limits)) {
      if (chunk.length === 0) continue;
      if (decoder === undefined) {
        if (!mayBeProto(chunk)) return undefined;
        decoder = new ProfileDecoder({ sizeHint: source.sizeHint, labels });
      }
      decoder.push(chunk);
    }
    if (decoder === undefined) return undefined;
    return { format: 'pprof', profile: decoder.finish(), notes: [] };
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof GunzipError) throw error;
    if (!(error instanceof FormatError) || !mayBeOtherFormat(error)) throw error;
    return undefined; // another format may read it, and will say so if not
  }
}

async function gather(source: ByteSource, limits: ReadLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompressed(source, limits)) chunks.push(chunk);
  return joinBytes(chunks);
}

/** The gzip layer is broken. The message is Go's; the offset is how much came out before. */
export class GunzipError extends FormatError {}

async function* decompressed(source: ByteSource, limits: ReadLimits): AsyncGenerator<Uint8Array> {
  let total = 0;
  const counted = (chunk: Uint8Array): Uint8Array => {
    total += chunk.length;
    if (total > limits.maxBytes) throw tooLarge(limits);
    return chunk;
  };
  const input = source.stream()[Symbol.asyncIterator]();
  const first = await input.next();
  if (first.done === true) return;
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (;;) {
      const next = await input.next();
      if (next.done === true) return;
      yield next.value;
    }
  };
  if (!isGzip(first.value)) {
    for await (const chunk of rest()) yield counted(chunk);
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from(rest()), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield counted(chunk as Uint8Array);
  } catch (error) {
    throw error instanceof TooLargeError ? error : new GunzipError(gunzipMessage(error), { offset: total });
  } finally {
    gunzip.destroy();
  }
}

function gunzipMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return 'decompressing profile: unexpected EOF';
  if (code === 'Z_DATA_ERROR') {
    if (/header|compression method/.test(message)) return 'decompressing profile: gzip: invalid header';
    if (/data check|length check/.test(message)) return 'decompressing profile: gzip: invalid checksum';
    return `decompressing profile: flate: corrupt input (${message})`;
  }
  return `decompressing profile: ${message}`;
}
