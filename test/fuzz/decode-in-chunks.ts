import type { Profile } from '../../src/profile/profile.ts';
import { ProfileDecoder } from '../../src/profile/formats/pprof/decode.ts';

/** Decodes a profile.proto in chunks of these sizes, repeated. */
export function decodeInChunks(bytes: Uint8Array, sizes: readonly number[]): Profile {
  const decoder = new ProfileDecoder({ sizeHint: bytes.length });
  // Reuses one buffer for every chunk, as a stream may.
  const buffer = new Uint8Array(Math.max(...sizes, 1));
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.min(sizes[i % sizes.length], bytes.length - at);
    buffer.set(bytes.subarray(at, at + size));
    decoder.push(buffer.subarray(0, size));
    at += size;
  }
  return decoder.finish();
}
