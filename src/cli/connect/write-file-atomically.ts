import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, systemReason } from '../../base/failure.ts';

/** Writes a draft beside the file and renames it, so that readers see either the old or the new content. */
export async function writeFileAtomically(path: string, bytes: Uint8Array, cwd: string): Promise<void> {
  try {
    await replace(path, bytes, cwd);
  } catch (error) {
    // The message names the file, not the draft.
    throw new Failure('cannot-write', `open ${path}: ${systemReason(error as Error)}`, { cause: error });
  }
}

async function replace(path: string, bytes: Uint8Array, cwd: string): Promise<void> {
  const target = await followLink(resolve(cwd, path));
  const found = await stat(target).catch(() => undefined);
  // A device or a pipe is written to, never replaced.
  if (found !== undefined && !found.isFile()) return writeFile(target, bytes);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.${Date.now().toString(36)}.tmp`);
  try {
    await writeFile(draft, bytes, { flag: 'wx', ...(found === undefined ? {} : { mode: found.mode & 0o777 }) });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function followLink(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true ? realpath(path).catch(() => path) : path;
}
