import { resolve } from 'node:path';
import { FormatError } from '../../base/errors.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';

const MIN_KEY_BYTES = 16;
const MAX_KEY_BYTES = 2 ** 20;

/** The key for the hashes of a redaction. A short key could be guessed, and with it every name. */
export async function readKeyFile(path: string, cwd: string): Promise<Uint8Array> {
  const key = await readBoundedFile(resolve(cwd, path), MAX_KEY_BYTES, path);
  if (key.length >= MIN_KEY_BYTES) return key;
  throw new FormatError(
    `${path}: a key needs ${MIN_KEY_BYTES} bytes or more, it has ${key.length}; make one with: head -c 32 /dev/urandom > ${path}`,
  );
}
