/**
 * Makes a folder and those above it. Not by Node's own `recursive`, which never ends where a folder exists that takes no
 * others and answers ENOENT, as /proc does.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The first folder that was made; undefined if all were there. */
export async function makeFolder(path: string, mode: number = 0o777): Promise<string | undefined> {
  const code = await tried(path, mode);
  if (code === undefined) return path;
  if (code === 'EEXIST') return undefined;
  const parent = dirname(path);
  const first = (await isFolder(parent)) ? undefined : await makeFolder(parent, mode);
  // Another process may have been faster, or the folder above takes none: then this is the error.
  await mkdir(path, mode).catch(async (error: unknown) => {
    if (!(await isFolder(path))) throw error;
  });
  return first ?? path;
}

/** The code of an error after which more can be tried; undefined if it was made. */
async function tried(path: string, mode: number): Promise<'EEXIST' | 'ENOENT' | undefined> {
  try {
    await mkdir(path, mode);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return 'EEXIST';
    if (code === 'ENOENT' && dirname(path) !== path) return 'ENOENT';
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
