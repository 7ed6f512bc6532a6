import { createHash, createHmac, randomBytes } from 'node:crypto';
import { encodeText } from '../../base/text.ts';
import type { Digests } from '../bundle.ts';

/** Digests under the given key, or under a random one. */
export function digestsFor(key: Uint8Array = randomBytes(32)): Digests {
  return {
    sha256: bytes => createHash('sha256').update(bytes).digest('hex'),
    keyedHash: text => createHmac('sha256', key).update(encodeText(text)).digest(),
  };
}
