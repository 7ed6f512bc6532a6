import { resolve } from 'node:path';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { RequestError, type CredentialFiles } from '../ports.ts';

/** Larger than any token, key or bundle of authorities. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Relative paths are resolved against `cwd`. */
export function credentialFiles(cwd: string): CredentialFiles {
  const read = async (path: string): Promise<Buffer> => {
    try {
      return Buffer.from(await readBoundedFile(resolve(cwd, path), MAX_BYTES, path));
    } catch (error) {
      throw new RequestError('credentials', `cannot read a credentials file: ${(error as Error).message}`);
    }
  };
  return {
    readToken: async path => {
      const token = (await read(path)).toString('utf8').trim();
      if (!/^[\x21-\x7e]+$/.test(token)) throw new RequestError('credentials', `${path} holds no token`);
      return token;
    },
    readPassword: async path => (await read(path)).toString('utf8').replace(/\r?\n$/, ''),
    readBytes: read,
  };
}
