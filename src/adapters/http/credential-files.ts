/** What proves who asks, from files that the user names. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RequestError } from './no-answer.ts';

/** A bearer token; read anew each time, since whoever issues short-lived ones replaces the file. */
export async function readToken(path: string, cwd: string): Promise<string> {
  const token = (await readCredentialFile(path, cwd)).toString('utf8').trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new RequestError('credentials', `${path} holds no token`);
  return token;
}

export async function readCredentialFile(path: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (error) {
    throw new RequestError('credentials', `a file cannot be read: ${(error as Error).message}`);
  }
}
