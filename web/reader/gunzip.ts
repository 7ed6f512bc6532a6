/** Content out of its compression, up to a bound: a small file may hold a very large one. */
import { FormatError } from '../../src/base/errors.ts';
import { isGzip } from '../../src/base/gzip.ts';
import { concatBytes } from '../../src/base/text.ts';
import { formatBytes } from '../../src/base/quantities.ts';

export const MAX_CONTENT_BYTES: number = 512 * 2 ** 20;

export async function gunzipped(bytes: Uint8Array, maxBytes: number = MAX_CONTENT_BYTES): Promise<Uint8Array> {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  let content = bytes;
  // A profile that was compressed again on its way is still a profile.
  for (let layer = 0; layer < 2 && isGzip(content); layer++) content = await inflate(content, maxBytes);
  return content;
}

async function inflate(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    let chunk: { readonly done: boolean; readonly value?: Uint8Array | undefined };
    try {
      chunk = await reader.read();
    } catch {
      throw new FormatError('the gzip compression is damaged or cut; copy the file again', { offset: total });
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

function tooLarge(maxBytes: number): FormatError {
  return new FormatError(`more than ${formatBytes(maxBytes)} of content; read it with \`oakum analyze FILE\``);
}
