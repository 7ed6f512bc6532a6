/** .tar.gz files whose bytes depend on the members alone: no times, owners or names of the machine. */
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { createTarDecoder, packTar } from 'modern-tar';
import { FormatError } from '../../base/errors.ts';
import { isGzip } from '../../base/sniff.ts';
import { joinBytes } from '../../base/text.ts';
import type { ArchiveMember, EvidenceArchive } from '../bundle.ts';

export interface ArchiveLimits {
  /** Decompressed, of all members together. */
  readonly maxBytes: number;
  readonly maxMembers: number;
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = { maxBytes: 2 ** 30, maxMembers: 20_000 };

export function tarGzArchive(limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS): EvidenceArchive {
  const gunzip = (bytes: Uint8Array): Uint8Array => (isGzip(bytes) ? inflate(bytes, limits) : bytes);
  return {
    pack: async members => gzip(await packTar(Array.from(members, toEntry))),
    unpack: bytes => unpack(() => gunzip(bytes), limits),
    gzip,
    isPlain,
    gunzip,
  };
}

function toEntry({ path, bytes, mtimeSeconds }: ArchiveMember): Parameters<typeof packTar>[0][number] {
  const header = {
    name: path,
    size: bytes.length,
    type: 'file' as const,
    mode: 0o644,
    mtime: new Date(mtimeSeconds * 1000),
    uid: 0,
    gid: 0,
    uname: '',
    gname: '',
  };
  return { header, body: bytes };
}

function gzip(bytes: Uint8Array, effort: 'fast' | 'best' = 'best'): Uint8Array {
  const out = gzipSync(bytes, { level: effort === 'fast' ? 1 : 6 });
  // zlib writes the operating system into the header: 255 is "unknown".
  out[9] = 255;
  return new Uint8Array(out.buffer, out.byteOffset, out.length);
}

const HEADER_BYTES = 10;
/** CRC and size. */
const TRAILER_BYTES = 8;

/** How the deflate stream is cut into blocks may differ from one zlib to the next; all around it may not. */
function isPlain(bytes: Uint8Array): boolean {
  const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
  if (!header.every((byte, i) => bytes[i] === byte)) return false;
  try {
    const { engine } = inflateRawSync(bytes.subarray(HEADER_BYTES), { info: true }) as unknown as {
      readonly engine: { readonly bytesWritten: number };
    };
    return HEADER_BYTES + engine.bytesWritten + TRAILER_BYTES === bytes.length;
  } catch {
    return false;
  }
}

function inflate(bytes: Uint8Array, { maxBytes }: ArchiveLimits): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw new FormatError(`larger than ${maxBytes} bytes when decompressed; set OAKUM_MAX_BYTES to read more`);
    }
    throw new FormatError(
      code === 'Z_BUF_ERROR' ? 'the gzip stream ends early' : `the gzip stream is broken (${message})`,
    );
  }
}

async function* unpack(tar: () => Uint8Array, { maxMembers }: ArchiveLimits): AsyncGenerator<ArchiveMember> {
  let count = 0;
  try {
    const stream = ReadableStream.from([tar()]) as ReadableStream<Uint8Array>;
    for await (const { header, body } of stream.pipeThrough(createTarDecoder({ strict: true }))) {
      if (header.type !== undefined && header.type !== 'file') {
        throw new FormatError(`holds a ${header.type}, and a bundle holds files only`);
      }
      if (++count > maxMembers) throw new FormatError(`holds more than ${maxMembers} files`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const bytes = joinBytes(chunks);
      if (bytes.length !== header.size)
        throw new FormatError(`ends inside a file: ${bytes.length} of ${header.size} bytes`);
      yield { path: header.name, bytes, mtimeSeconds: (header.mtime?.getTime() ?? 0) / 1000 };
    }
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw new FormatError(`not a tar archive: ${error instanceof Error ? error.message : String(error)}`);
  }
}
