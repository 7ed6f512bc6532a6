/** Bodies of a capture as they are stored: compressed, off the event loop. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isGzip } from '../../base/sniff.ts';
import type { StoredFile } from '../capture/capture-folder.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export async function toStored(
  content: Uint8Array,
): Promise<{ readonly bytes: Uint8Array; readonly facts: StoredFile }> {
  const bytes = isGzip(content) ? content : await compress(content);
  return { bytes, facts: { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } };
}

export async function inflateBody(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!isGzip(bytes)) return bytes;
  return decompress(bytes, { maxOutputLength: maxBytes }).catch(() => undefined);
}
