import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FormatError } from '../../base/errors.ts';

const MIN_KEY_BYTES = 16;

/** The key of redaction's hashes: whatever the file holds. A short one could be guessed, and with it every name. */
export async function readKeyFile(path: string, cwd: string): Promise<Uint8Array> {
  const key = await readFile(resolve(cwd, path));
  if (key.length >= MIN_KEY_BYTES) return key;
  throw new FormatError(
    `${path}: a key needs ${MIN_KEY_BYTES} bytes or more, it has ${key.length}; make one with: head -c 32 /dev/urandom > ${path}`,
  );
}
