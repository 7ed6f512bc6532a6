import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CredentialFiles } from '../../ports/credential-files.ts';
import { RequestError } from '../../ports/request-sender.ts';

/** Relative paths are resolved against `cwd`. */
export function credentialFiles(cwd: string): CredentialFiles {
  const read = async (path: string): Promise<Buffer> => {
    try {
      return await readFile(resolve(cwd, path));
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
