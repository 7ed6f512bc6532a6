/**
 * Peels layers off a stream until a member is left.
 *
 *     bytes -> gzip? -> tar? zip? -> member      recognised by the first bytes; repeated for what comes out
 *
 * Gzip and tar are read as streams: only one member is in memory at a time, and the buffers of the decompressor. A zip
 * archive has its directory at the end, so it is in memory as a whole.
 */
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { FormatError } from '../../base/errors.ts';
import { readZipEntries } from '../formats/zip.ts';
import { isGzip, isTar, isZip, TAR_BLOCK_BYTES } from '../../base/sniff.ts';
import { joinBytes } from '../../base/text.ts';
import type { PileItem, PileLimits } from '../pile.ts';

const CHUNK_BYTES = 256 * 1024;

/** By their first bytes. */
const OTHER_PACKERS: readonly (readonly [magic: readonly number[], name: string])[] = [
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xz'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  [[0x42, 0x5a, 0x68], 'bzip2'],
  [[0x37, 0x7a, 0xbc, 0xaf, 0x27], '7-Zip'],
];

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export class Layers {
  private readonly limits: PileLimits;
  private members = 0;
  private saidFull = false;

  constructor(limits: PileLimits) {
    this.limits = limits;
  }

  get isFull(): boolean {
    return this.members >= this.limits.maxMembers && this.saidFull;
  }

  read(path: string, input: Bytes, mtimeSeconds: number | undefined, sizeHint = 0): AsyncGenerator<PileItem> {
    return this.peel(path, input, mtimeSeconds, sizeHint, 0);
  }

  private async *peel(
    path: string,
    input: Bytes,
    mtimeSeconds: number | undefined,
    sizeHint: number,
    nesting: number,
  ): AsyncGenerator<PileItem> {
    if (this.members >= this.limits.maxMembers) {
      if (!this.saidFull) yield problem(path, `more than ${this.limits.maxMembers} files; the rest is not read`);
      this.saidFull = true;
      await drop(input);
      return;
    }
    const { head, rest } = await peek(input, TAR_BLOCK_BYTES);
    const packed = OTHER_PACKERS.find(([magic]) => magic.every((byte, i) => head[i] === byte));
    if (packed !== undefined) {
      yield problem(path, `packed by ${packed[1]}, which is not read: unpack it first`);
      await drop(rest);
      return;
    }
    const isLayer = isGzip(head) || isTar(head) || isZip(head);
    if (isLayer && nesting >= this.limits.maxNesting) {
      yield problem(path, `compressed or archived more than ${this.limits.maxNesting} times over; not read`);
      await drop(rest);
    } else if (isGzip(head)) {
      yield* this.peel(path, gunzipped(rest), mtimeSeconds, 0, nesting + 1);
    } else if (isTar(head)) {
      yield* this.tar(path, rest, nesting);
    } else if (isZip(head)) {
      yield* this.zip(path, rest, sizeHint, nesting);
    } else {
      this.members++;
      yield* this.gather(path, rest, mtimeSeconds, sizeHint);
    }
  }

  private async *gather(
    path: string,
    input: Bytes,
    mtimeSeconds: number | undefined,
    sizeHint: number,
  ): AsyncGenerator<PileItem> {
    const { maxBytes } = this.limits;
    const gathered = new Gathered(Math.min(sizeHint, maxBytes));
    let damage: string | undefined;
    try {
      for await (const chunk of input) {
        if (gathered.length + chunk.length > maxBytes) {
          yield problem(path, `larger than ${maxBytes} bytes when decompressed; set OAKUM_MAX_BYTES to read more`);
          return;
        }
        gathered.push(chunk);
      }
    } catch (error) {
      damage = error instanceof DamagedError ? `${error.message} after ${gathered.length} bytes` : String(error);
    }
    if (damage !== undefined && gathered.length === 0) yield problem(path, damage);
    else yield { kind: 'member', path, bytes: gathered.finish(), mtimeSeconds, damage };
  }

  private async *zip(path: string, input: Bytes, sizeHint: number, nesting: number): AsyncGenerator<PileItem> {
    const { maxBytes } = this.limits;
    for await (const item of this.gather(path, input, undefined, sizeHint)) {
      if (item.kind === 'problem') {
        yield item;
        continue;
      }
      try {
        for (const { name, content, isStored, size, mtimeSeconds, problem: wrong } of readZipEntries(item.bytes)) {
          const inside = `${path}/${memberName(name)}`;
          if (wrong !== undefined) yield problem(inside, wrong);
          else if (size > maxBytes) yield problem(inside, `larger than ${maxBytes} bytes when decompressed`);
          else yield* this.peel(inside, isStored ? [content] : inflated(content), mtimeSeconds, 0, nesting + 1);
          if (this.isFull) return;
        }
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        yield problem(path, error.describe());
      }
    }
  }

  private async *tar(path: string, input: Bytes, nesting: number): AsyncGenerator<PileItem> {
    let last = '';
    try {
      const stream = ReadableStream.from(input) as ReadableStream<Uint8Array>;
      for await (const { header, body } of stream.pipeThrough(createTarDecoder())) {
        last = header.name;
        if (header.type !== 'file' && header.type !== undefined) {
          await body.cancel();
          continue;
        }
        const mtimeSeconds = header.mtime === undefined ? undefined : header.mtime.getTime() / 1000;
        const whole = expectBytes(body, header.size);
        yield* this.peel(`${path}/${memberName(header.name)}`, whole, mtimeSeconds, 0, nesting + 1);
        if (this.isFull) return;
      }
    } catch (error) {
      const where = last === '' ? 'at its beginning' : `after ${last}`;
      const why = error instanceof Error ? error.message : String(error);
      yield problem(path, `the archive cannot be read on ${where}: ${why}`);
    }
  }
}

/** Names inside archives are shown, never opened: only characters that would confuse a reader are replaced. */
function memberName(name: string): string {
  return name.replace(/^(?:\.?\/)+/, '').replace(/\p{Cc}/gu, '?');
}

class DamagedError extends Error {}

async function* expectBytes(body: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    yield chunk;
  }
  if (total < size) throw new DamagedError(`the archive ends inside it: ${total} of ${size} bytes`);
}

async function* inflated(content: Uint8Array): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from([content]), inflate, () => undefined);
  try {
    for await (const chunk of inflate) yield chunk as Uint8Array;
  } catch (error) {
    throw new DamagedError(`its content is broken (${(error as Error).message})`);
  } finally {
    inflate.destroy();
  }
}

async function* gunzipped(input: Bytes): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(Readable.from(input), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DamagedError(code === 'Z_BUF_ERROR' ? 'its gzip stream ends' : `its gzip stream is broken (${message})`);
  } finally {
    gunzip.destroy();
  }
}

/** Joins chunks, directly into one buffer if the size is known. */
class Gathered {
  length = 0;
  private readonly chunks: Uint8Array[] = [];
  private readonly whole: Uint8Array;

  constructor(sizeHint: number) {
    this.whole = new Uint8Array(sizeHint);
  }

  push(chunk: Uint8Array): void {
    if (this.chunks.length === 0 && this.length + chunk.length <= this.whole.length) this.whole.set(chunk, this.length);
    else this.chunks.push(chunk);
    this.length += chunk.length;
  }

  finish(): Uint8Array {
    const start = this.whole.subarray(0, Math.min(this.length, this.whole.length));
    if (this.chunks.length === 0) return start;
    const kept = this.chunks.reduce((sum, chunk) => sum - chunk.length, this.length);
    return joinBytes(kept === 0 ? this.chunks : [start.subarray(0, kept), ...this.chunks]);
  }
}

/** At least `count` bytes of the input, or all of it; `rest` yields them again, followed by the rest. */
async function peek(input: Bytes, count: number): Promise<{ head: Uint8Array; rest: AsyncIterable<Uint8Array> }> {
  const source =
    Symbol.asyncIterator in input ? input[Symbol.asyncIterator]() : (input[Symbol.iterator]() as Iterator<Uint8Array>);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let failure: unknown;
  while (length < count && failure === undefined) {
    try {
      const next = await source.next();
      if (next.done === true) break;
      chunks.push(next.value);
      length += next.value.length;
    } catch (error) {
      failure = error;
    }
  }
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
      if (failure !== undefined) throw failure;
      for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  };
  return { head: joinBytes(chunks), rest: rest() };
}

async function drop(input: Bytes): Promise<void> {
  if (Symbol.asyncIterator in input) await input[Symbol.asyncIterator]().return?.();
}

function problem(path: string, message: string): PileItem {
  return { kind: 'problem', path, message };
}
