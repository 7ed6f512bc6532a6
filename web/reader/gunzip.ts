/** Decompresses a file, up to a limit: a small file can decompress to a huge one. */
import { FormatError } from '../../src/base/errors.ts';
import { isGzip } from '../../src/base/sniff.ts';
import { concatBytes } from '../../src/base/text.ts';
import { formatBytes } from '../../src/base/say.ts';

export const MAX_CONTENT_BYTES: number = 512 * 2 ** 20;

/** Gzip shrinks a thousandfold at best, so that 64 MiB at most come of it. */
const SLICE_BYTES = 1 << 16;

/** The content of an entry of a zip archive. */
export function inflated(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return inflate(bytes, maxBytes, 'deflate-raw');
}

export async function gunzipped(bytes: Uint8Array, maxBytes: number = MAX_CONTENT_BYTES): Promise<Uint8Array> {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  let content = bytes;
  // Some tools compress a profile a second time.
  for (let layer = 0; layer < 2 && isGzip(content); layer++) content = await inflate(content, maxBytes, 'gzip');
  return content;
}

async function inflate(bytes: Uint8Array, maxBytes: number, format: CompressionFormat): Promise<Uint8Array> {
  const reader = slicesOf(bytes).pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    let chunk: { readonly done: boolean; readonly value?: Uint8Array | undefined };
    try {
      chunk = await reader.read();
    } catch {
      throw new FormatError(
        `the ${format === 'gzip' ? 'gzip' : 'zip'} data is damaged or cut off; copy the file again`,
        { offset: total },
      );
    }
    if (chunk.done || chunk.value === undefined) return concatBytes(parts);
    total += chunk.value.length;
    if (total > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    parts.push(chunk.value);
  }
}

/** A piece at a time, so that a bomb is noticed after a piece. Unlike the stream of a Blob, it stays in this process. */
function slicesOf(bytes: Uint8Array): ReadableStream<BufferSource> {
  let at = 0;
  return new ReadableStream({
    pull: controller => {
      const end = Math.min(at + SLICE_BYTES, bytes.length);
      controller.enqueue(bytes.subarray(at, end) as BufferSource);
      at = end;
      if (at === bytes.length) controller.close();
    },
  });
}

function tooLarge(maxBytes: number): FormatError {
  return new FormatError(`larger than ${formatBytes(maxBytes)} uncompressed; read it with \`oakum analyze FILE\``);
}
